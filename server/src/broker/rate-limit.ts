import type { Clock } from "../lib/clock.ts";
import type { BrokerLimits } from "./limits.ts";

/**
 * Two token buckets, for messages and for bytes, that may go into debt: a packet that has arrived passes, and no
 * further one does until both buckets are positive again.
 */
export class RateLimit {
  readonly #messagesPerSecond: number;
  readonly #bytesPerSecond: number;
  readonly #clock: Pick<Clock, "monotonicMs">;
  #messages: number;
  #bytes: number;
  #at: number;

  constructor(
    limits: Pick<BrokerLimits, "mqttMessagesPerSecond" | "mqttBytesPerSecond">,
    clock: Pick<Clock, "monotonicMs">,
  ) {
    this.#messagesPerSecond = limits.mqttMessagesPerSecond;
    this.#bytesPerSecond = limits.mqttBytesPerSecond;
    this.#clock = clock;
    this.#messages = this.#messagesPerSecond;
    this.#bytes = this.#bytesPerSecond;
    this.#at = clock.monotonicMs();
  }

  /** Returns how many messages may pass now; 0 while either bucket is in debt. */
  allowance(): number {
    if (this.#messagesPerSecond === Infinity && this.#bytesPerSecond === Infinity) return Infinity;
    const now = this.#clock.monotonicMs();
    this.#credit(now - this.#at);
    this.#at = now;
    return this.#bytes > 0 ? Math.max(0, Math.floor(this.#messages)) : 0;
  }

  spend(messages: number, bytes: number): void {
    this.#messages -= messages;
    this.#bytes -= bytes;
  }

  /** Returns the milliseconds until at least one message may pass. */
  waitMs(): number {
    const messages = untilPositive(this.#messages, this.#messagesPerSecond);
    const bytes = untilPositive(this.#bytes, this.#bytesPerSecond);
    return Math.max(1, Math.ceil(Math.max(messages, bytes) * 1000));
  }

  /**
   * Credits a wait of `ms`, or the time that has really passed if that is longer, because timers fire late under load.
   * `ms` is the minimum, so that a test's fake clock cannot stop a client.
   */
  waited(ms: number): void {
    const now = this.#clock.monotonicMs();
    this.#credit(Math.max(ms, now - this.#at));
    this.#at = now;
  }

  #credit(ms: number): void {
    if (this.#messagesPerSecond !== Infinity) {
      this.#messages = Math.min(this.#messagesPerSecond, this.#messages + (ms * this.#messagesPerSecond) / 1000);
    }
    if (this.#bytesPerSecond !== Infinity) {
      this.#bytes = Math.min(this.#bytesPerSecond, this.#bytes + (ms * this.#bytesPerSecond) / 1000);
    }
  }
}

/** Returns the seconds until a bucket that fills at `perSecond` contains a whole token. */
function untilPositive(tokens: number, perSecond: number): number {
  return perSecond === Infinity ? 0 : (1 - tokens) / perSecond;
}
