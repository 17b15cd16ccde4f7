import type { PendingMessage } from "./pending-message.ts";

/** The average interval between shared batches, across all shards of the service. */
const APART_MS = 5;
/** The maximum time that a message waits for others, however many shards there are. */
const MAX_INTERVAL_MS = 25;
/** With this many messages, the fixed cost of a batch hardly matters. */
const MANY_MESSAGES = 128;

/**
 * Decides when a shard's next shared batch begins. A batch costs about a millisecond of CPU time even if it is small,
 * so at a moderate rate small batches would cost more than the messages. Therefore a batch begins a fixed interval
 * after the previous one. The interval grows with the number of shards, so that many workers write no more batches than
 * one does.
 *
 * Nothing is delayed that cannot get cheaper by waiting: neither many messages, nor those of the only device in the
 * previous batch, which may need its acknowledgement before it sends again.
 */
export class Collecting {
  readonly #intervalMs: number;
  #begunAt = Number.NEGATIVE_INFINITY;
  /** The device of all messages in the last batch; undefined if there were several. */
  #onlyDevice: string | undefined;

  /** @param shards the number of shards in all processes of the service */
  constructor(shards: number) {
    this.#intervalMs = Math.min(APART_MS * shards, MAX_INTERVAL_MS);
  }

  /** Returns how long the next batch should collect, in milliseconds. @param nowMs on a monotonic clock */
  waitMs(waiting: Iterable<Pick<PendingMessage, "message">>, nowMs: number): number {
    const leftMs = this.#begunAt + this.#intervalMs - nowMs;
    if (leftMs <= 0) return 0;
    let messages = 0;
    let areOfSeveral = false;
    for (const { message } of waiting) {
      if (++messages === MANY_MESSAGES) return 0;
      if (message.deviceUid !== this.#onlyDevice) areOfSeveral = true;
    }
    return areOfSeveral ? leftMs : 0;
  }

  /** Records the start of a batch. */
  begin(messages: readonly Pick<PendingMessage, "message">[], nowMs: number): void {
    const device = messages[0]?.message.deviceUid;
    if (device === undefined) return;
    this.#begunAt = nowMs;
    this.#onlyDevice = messages.every(({ message }) => message.deviceUid === device) ? device : undefined;
  }
}
