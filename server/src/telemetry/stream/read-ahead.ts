import { stream as limits } from "../../lib/limits/stream.ts";
import type { StreamMessage } from "../../lib/nats/jet-stream.ts";

/**
 * The number of parts of the stream that are read concurrently. NATS answers many requests between two synced writes.
 */
const PARTS = 8;
/** The approximate number of messages per part. */
const MESSAGES_OF_PART = 8;
/** The number of consecutive messages that indicates a backlog. */
const STREAK = 8;
/** Batches above this size are read one by one, since there are few of them. */
const SMALL_BATCH = 16 * 1024;

type Next = (sequence: number) => Promise<StreamMessage | undefined>;

/** Reads a partition one message at a time, or several at once during a backlog of small batches. */
export class ReadAhead {
  readonly #next: Next;
  #streak = 0;
  /** The average distance between the sequences of two messages of the partition. */
  #distance = 1;

  constructor(next: Next) {
    this.#next = next;
  }

  /**
   * Returns the next messages of the partition from `sequence` on, in order and without a gap, or none if there are
   * none now.
   *
   * @throws the server's refusal
   */
  async read(sequence: number): Promise<StreamMessage[]> {
    const several = this.#streak < STREAK ? [] : await this.#parts(sequence);
    const messages = several.length > 0 ? several : await this.#one(sequence);
    const last = messages.at(-1);
    const isSmall = last !== undefined && last.data.length <= SMALL_BATCH;
    this.#streak = isSmall ? this.#streak + 1 : 0;
    if (last) this.#distance = (last.sequence + 1 - sequence) / messages.length;
    return messages;
  }

  async #one(sequence: number): Promise<StreamMessage[]> {
    const message = await this.#next(sequence);
    return message === undefined ? [] : [message];
  }

  async #parts(sequence: number): Promise<StreamMessage[]> {
    const length = Math.ceil(MESSAGES_OF_PART * this.#distance);
    const begins = Array.from({ length: PARTS }, (_, part) => sequence + part * length);
    const parts = await Promise.all(begins.map((from) => this.#part(from, from + length)));
    const incomplete = parts.findIndex(({ isComplete }) => !isComplete);
    const messages = parts.slice(0, incomplete < 0 ? PARTS : incomplete + 1).flatMap(({ found }) => found);
    // At the end of the backlog, return to single requests.
    if (incomplete >= 0) this.#streak = 0;
    return messages;
  }

  /**
   * Reads messages from `from` to before `to`. They are known to be complete only if the stream returns one at `to` or
   * later, since a server may lag.
   */
  async #part(from: number, to: number): Promise<{ found: StreamMessage[]; isComplete: boolean }> {
    const found: StreamMessage[] = [];
    let bytes = 0;
    for (let at = from; at < to; at = found.at(-1)!.sequence + 1) {
      const message =
        bytes > limits.bytesReadAhead.value / PARTS ? undefined : await this.#next(at).catch(() => undefined);
      if (message === undefined) return { found, isComplete: false };
      if (message.sequence >= to) break;
      found.push(message);
      bytes += message.data.length;
    }
    return { found, isComplete: true };
  }
}
