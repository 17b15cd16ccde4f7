import { Pace } from "../../lib/batching/pace.ts";
import { ingest } from "../../lib/limits/ingest.ts";
import { type PendingMessage, setPrepared } from "./pending-message.ts";

export const MAX_BATCH_MESSAGES = ingest.messagesPerBatch.value;

/** What a batch, or a tenant in it, may still take; taking reduces it. */
export interface Budget {
  messages: number;
  rows: number;
  bytes: number;
}

/** The waiting messages of one tenant, in the order in which they arrived. */
export class TenantQueue {
  readonly tenantId: string;
  /** A batch with messages of it is being stored: nothing else may be taken, so that messages of a device stay in order. */
  busy = false;
  /** How many messages its next batch may have; fewer while the message that makes its batches fail is searched for. */
  maxMessages = MAX_BATCH_MESSAGES;
  /** How much of its share of a batch it gets: less after batches that took long, while it has more to store than its share. */
  readonly pace = new Pace();
  /** Its share of the last batch was too small for what waited. */
  hasSpentShare = false;
  /** It had a few rows in the last batch. */
  tookLittle = true;
  /** Milliseconds of `performance.now()`: when something was taken from it last. */
  takenAt: number;
  #waiting: PendingMessage[] = [];
  /** Index of the first message that waits; those before it were taken. */
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

  /** Returns messages that were taken and not stored, in their order: before all others, or behind those of other devices, together with what waits of theirs. */
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

  /** Removes and returns the messages that are to be removed, in their order. */
  remove(isRemoved: (message: PendingMessage) => boolean): PendingMessage[] {
    const waiting = this.#waiting.slice(this.#first);
    this.#waiting = waiting.filter((message) => !isRemoved(message));
    this.#first = 0;
    return waiting.filter(isRemoved);
  }

  /** Moves messages into a batch, at least one, until the budget is spent. */
  take(budget: Budget, into: PendingMessage[]): void {
    const end = Math.min(this.#waiting.length, this.#first + Math.min(budget.messages, this.maxMessages));
    const from = this.#first;
    while (this.#first < end && (this.#first === from || (budget.rows > 0 && budget.bytes > 0))) {
      const pending = this.#waiting[this.#first++]!;
      if (pending.defer) setPrepared(pending, pending.defer());
      into.push(pending);
      // A message without rows has a reason to store.
      budget.rows -= Math.max(1, pending.rows);
      budget.bytes -= pending.message.payload.length;
      // The messages behind it may be of the same device, and must not overtake its further parts.
      if (pending.parts.length > 0) break;
    }
    budget.messages -= this.#first - from;
    this.#compact();
  }

  *[Symbol.iterator](): Iterator<PendingMessage> {
    for (let index = this.#first; index < this.#waiting.length; index++) yield this.#waiting[index]!;
  }

  /** Frees the places of taken messages, seldom enough that each message is moved a constant number of times. */
  #compact(): void {
    if (this.#first < this.#waiting.length && this.#first * 2 < this.#waiting.length) return;
    this.#waiting = this.#first === this.#waiting.length ? [] : this.#waiting.slice(this.#first);
    this.#first = 0;
  }
}
