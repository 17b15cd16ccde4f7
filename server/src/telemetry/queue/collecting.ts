import type { PendingMessage } from "./pending-message.ts";

/** The shared batches of all shards of a service begin so far apart on average. */
const APART_MS = 5;
/** A message waits no longer than this for others, however many shards there are. */
const MAX_INTERVAL_MS = 25;
/** With so many messages the cost of the batch itself hardly counts. */
const MANY_MESSAGES = 128;

/**
 * Decides when a shard's next shared batch begins. A batch costs about a millisecond of processor time, however few messages it has, so
 * at a moderate rate small batches would cost more than the messages. Therefore a batch begins an interval after the one before it,
 * which is the longer the more shards a service has: so many workers write no more batches than one does.
 *
 * Nothing is delayed that cannot become cheaper by it: neither many messages nor those of the one device that the batch before was of,
 * which may be waiting for its acknowledgement before it sends again.
 */
export class Collecting {
  readonly #intervalMs: number;
  #begunAt = Number.NEGATIVE_INFINITY;
  /** The device of all messages of the last batch; undefined when they were of several. */
  #onlyDevice: string | undefined;

  /** @param shards of all processes of the service */
  constructor(shards: number) {
    this.#intervalMs = Math.min(APART_MS * shards, MAX_INTERVAL_MS);
  }

  /** How long the next batch is to collect, in milliseconds. @param nowMs on a clock that never steps */
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

  /** Records a batch that begins. */
  begin(messages: readonly Pick<PendingMessage, "message">[], nowMs: number): void {
    const device = messages[0]?.message.deviceUid;
    if (device === undefined) return;
    this.#begunAt = nowMs;
    this.#onlyDevice = messages.every(({ message }) => message.deviceUid === device) ? device : undefined;
  }
}
