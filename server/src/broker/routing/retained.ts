import type { Message } from "./message.ts";
import { TopicTrie } from "./topic-trie.ts";

/** The retained messages of this process, the last of each topic (MQTT 3.1.1, 3.3.1.3). The policy bounds their number and bytes. */
export class Retained {
  readonly #messages = new TopicTrie<Message>();

  /** An empty message removes the one of its topic and is not retained [MQTT-3.3.1-10, MQTT-3.3.1-11]. */
  set(message: Message): void {
    if (message.payload.length === 0) this.#messages.delete(message.topic);
    else this.#messages.set(message.topic, message.own());
  }

  remove(topic: string): void {
    this.#messages.delete(topic);
  }

  matching(filter: string): Message[] {
    return this.#messages.matchingFilter(filter);
  }
}
