import type { Message } from "../routing/message.ts";

/** What follows a message of QoS 1 or 2: the client has acknowledged it, or it expired or was too long and was not sent. */
export type OnSettled = (isAcknowledged: boolean) => void;

interface Queued {
  message: Message;
  qos: 1 | 2;
  retain: boolean;
  onSettled: OnSettled | undefined;
}

/** What a queued message costs beside its topic and payload. */
const OVERHEAD = 256;

/** The QoS 1 and 2 messages of one client that wait until it has acknowledged others, in their order. */
export class OutQueue {
  #queue: Queued[] = [];
  #head = 0;
  bytes = 0;

  push(queued: Queued): void {
    // Its packet's memory is not to stay as long as the queue.
    queued.message.own();
    this.#queue.push(queued);
    this.bytes += bytesOf(queued);
  }

  shift(): Queued | undefined {
    const next = this.#queue[this.#head];
    if (!next) return undefined;
    this.bytes -= bytesOf(next);
    this.#head++;
    if (this.#head === this.#queue.length || this.#head >= 1024) {
      this.#queue = this.#queue.slice(this.#head);
      this.#head = 0;
    }
    return next;
  }
}

function bytesOf({ message }: Queued): number {
  return OVERHEAD + message.topic.length + message.payload.length;
}
