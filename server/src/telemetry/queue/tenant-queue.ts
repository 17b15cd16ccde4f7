import { Pace } from "../../lib/batching/pace.ts";
import { ingest } from "../../lib/limits/ingest.ts";
import { type PendingMessage, setPrepared } from "./pending-message.ts";

export const MAX_BATCH_MESSAGES = ingest.messagesPerBatch.value;

/** The remaining capacity of a batch, or of a tenant within it. Taking messages reduces it. */
export interface Budget {
  messages: number;
  rows: number;
  bytes: number;
}

/** The waiting messages of one tenant, in order of arrival. */
export class TenantQueue {
  readonly tenantId: string;
  /**
   * Whether a batch with its messages is being stored. Nothing else may be taken then, so that a device's messages stay
   * in order.
   */
  busy = false;
  /** The maximum size of its next batch, reduced while searching for the message that makes its batches fail. */
  maxMessages = MAX_BATCH_MESSAGES;
  /**
   * The fraction of its share that it gets. Long batches reduce it while the tenant has more to store than its share.
   */
  readonly pace = new Pace();
  /** Whether its share of the last batch was too small for its backlog. */
  hasSpentShare = false;
  /** Whether it had only a few rows in the last batch. */
  tookLittle = true;
  /** The time when something was last taken from it, in `performance.now()` milliseconds. */
  takenAt: number;
  #waiting: PendingMessage[] = [];
  /** The index of the first waiting message; earlier ones have been taken. */
  #first = 0;

  constructor(tenantId: string, nowMs: number) {
    this.tenantId = tenantId;
    this.takenAt = nowMs;
  }

  get size(): number {
    return this.#waiting.length - this.#first;
  }

  push(message: PendingMessage): void {
    this.#waiting.push(message);
  }

  /**
   * Puts back messages that were taken but not stored, in order. They go first, or behind those of other devices
   * together with the waiting messages of their own devices.
   */
  putBack(messages: readonly PendingMessage[], place: "next" | "last" = "next"): void {
    const waiting = this.#waiting.slice(this.#first);
    this.#first = 0;
    if (place === "next") {
      this.#waiting = [...messages, ...waiting];
      return;
    }
    const devices = new Set(messages.map(({ message }) => message.deviceUid));
    const isBehind = ({ message }: PendingMessage) => devices.has(message.deviceUid);
    this.#waiting = [...waiting.filter((pending) => !isBehind(pending)), ...messages, ...waiting.filter(isBehind)];
  }

  /** Removes the matching messages and returns them in order. */
  remove(isRemoved: (message: PendingMessage) => boolean): PendingMessage[] {
    const waiting = this.#waiting.slice(this.#first);
    this.#waiting = waiting.filter((message) => !isRemoved(message));
    this.#first = 0;
    return waiting.filter(isRemoved);
  }

  /** Moves at least one message into a batch, and more until the budget is spent. */
  take(budget: Budget, into: PendingMessage[]): void {
    const end = Math.min(this.#waiting.length, this.#first + Math.min(budget.messages, this.maxMessages));
    const from = this.#first;
    while (this.#first < end && (this.#first === from || (budget.rows > 0 && budget.bytes > 0))) {
      const pending = this.#waiting[this.#first++]!;
      if (pending.defer) setPrepared(pending, pending.defer());
      into.push(pending);
      // A message without rows still stores its rejection.
      budget.rows -= Math.max(1, pending.rows);
      budget.bytes -= pending.message.payload.length;
      // Later messages may be from the same device, and must not overtake its remaining parts.
      if (pending.parts.length > 0) break;
    }
    budget.messages -= this.#first - from;
    this.#compact();
  }

  *[Symbol.iterator](): Iterator<PendingMessage> {
    for (let index = this.#first; index < this.#waiting.length; index++) yield this.#waiting[index]!;
  }

  /**
   * Frees the slots of taken messages, rarely enough that each message is moved a constant number of times on average.
   */
  #compact(): void {
    if (this.#first < this.#waiting.length && this.#first * 2 < this.#waiting.length) return;
    this.#waiting = this.#first === this.#waiting.length ? [] : this.#waiting.slice(this.#first);
    this.#first = 0;
  }
}
