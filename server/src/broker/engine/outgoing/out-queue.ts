import type { Delivery } from "../../message.ts";

/** The bytes that a queued message counts in addition to its topic and payload. */
const OVERHEAD = 256;

/** The queue of one client's QoS 1 and 2 messages that wait for acknowledgements of others. */
export class OutQueue {
  #queue: Delivery[] = [];
  #head = 0;
  bytes = 0;

  push(queued: Delivery): void {
    // The packet's memory must not be retained as long as the queue.
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

  /** Returns all messages in order. */
  all(): Delivery[] {
    return this.#queue.slice(this.#head);
  }
}

/** Returns the cost of a waiting message, in bytes. */
export function queuedBytes({ message }: Delivery): number {
  return OVERHEAD + message.topic.length + message.payload.length;
}
