import type { Delivery } from "../../routing/message.ts";

/** What a queued message costs beside its topic and payload. */
const OVERHEAD = 256;

/** The QoS 1 and 2 messages of one client that wait until it has acknowledged others, in their order. */
export class OutQueue {
  #queue: Delivery[] = [];
  #head = 0;
  bytes = 0;

  push(queued: Delivery): void {
    // Its packet's memory is not to stay as long as the queue.
    queued.message.own();
    this.#queue.push(queued);
    this.bytes += queuedBytes(queued);
  }

  shift(): Delivery | undefined {
    const next = this.#queue[this.#head];
    if (!next) return undefined;
    this.bytes -= queuedBytes(next);
    this.#head++;
    if (this.#head === this.#queue.length || this.#head >= 1024) {
      this.#queue = this.#queue.slice(this.#head);
      this.#head = 0;
    }
    return next;
  }

  /** All of them, in their order. */
  all(): Delivery[] {
    return this.#queue.slice(this.#head);
  }
}

/** What a message costs that waits. */
export function queuedBytes({ message }: Delivery): number {
  return OVERHEAD + message.topic.length + message.payload.length;
}
