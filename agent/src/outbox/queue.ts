/** A message to be sent, with the promise that its publisher awaits. */
export interface Outgoing {
  topic: string;
  payload: Buffer;
  retain: boolean;
  /** The packet id under which it was sent, which it keeps while the broker continues the session. */
  packetId?: number | undefined;
  /**
   * The number of sessions that ended without any PUBACK while this message was the oldest unacknowledged one, and that
   * the broker may have ended because of it.
   */
  stalls: number;
  resolve: () => void;
  reject: (error: Error) => void;
}

/** The bounds of the offline queue. */
export interface QueueLimits {
  maxMessages: number;
  maxBytes: number;
}

export const DEFAULT_QUEUE_LIMITS: QueueLimits = { maxMessages: 10_000, maxBytes: 8 * 1024 * 1024 };

/**
 * A bounded first in, first out queue, limited by count and by bytes of topic and payload. When it is full, the oldest
 * messages are dropped, because the newest readings matter most. It is only in memory; a restart loses it.
 */
export class OfflineQueue {
  #items: Outgoing[] = [];
  /**
   * The index of the oldest item. The array is compacted only occasionally, since shifting it each time takes linear
   * time.
   */
  #head = 0;
  #bytes = 0;
  readonly #limits: QueueLimits;

  constructor(limits: QueueLimits) {
    this.#limits = limits;
  }

  get length(): number {
    return this.#items.length - this.#head;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /**
   * Appends `message` and returns the messages dropped to make room, oldest first (`message` itself if it can never
   * fit).
   */
  push(message: Outgoing): Outgoing[] {
    this.#items.push(message);
    this.#bytes += size(message);
    return this.#trim();
  }

  /** Puts unacknowledged messages back at the front in order, and returns the messages dropped to make room. */
  putBack(messages: Outgoing[]): Outgoing[] {
    this.#items = [...messages, ...this.#items.slice(this.#head)];
    this.#head = 0;
    for (const message of messages) this.#bytes += size(message);
    return this.#trim();
  }

  /** Calls `visit` with every message, oldest first. */
  each(visit: (message: Outgoing) => void): void {
    for (let at = this.#head; at < this.#items.length; at++) visit(this.#items[at]!);
  }

  /** Removes and returns the oldest message, or undefined if the queue is empty. */
  shift(): Outgoing | undefined {
    const message = this.#items[this.#head];
    if (message === undefined) return undefined;
    this.#head += 1;
    this.#bytes -= size(message);
    if (this.#head > 1024 && this.#head * 2 > this.#items.length) {
      this.#items = this.#items.slice(this.#head);
      this.#head = 0;
    }
    return message;
  }

  #trim(): Outgoing[] {
    const dropped: Outgoing[] = [];
    while (this.length > this.#limits.maxMessages || this.#bytes > this.#limits.maxBytes) {
      const oldest = this.shift();
      if (oldest === undefined) break;
      dropped.push(oldest);
    }
    return dropped;
  }
}

const size = (message: Outgoing): number => message.payload.length + Buffer.byteLength(message.topic);
