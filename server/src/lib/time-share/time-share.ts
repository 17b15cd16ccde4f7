import { type Clock, SECOND } from "../clock.ts";

export interface TimeShareOptions {
  /** The fraction of time that the work may take once the burst is used up, between 0 and 1. */
  readonly share: number;
  /** The milliseconds of work that may run without a pause after an idle period. */
  readonly burstMs: number;
}

/** A token bucket of time: limits work on the event loop to a share of it and leaves the rest to other work. */
export class TimeShare {
  readonly #options: TimeShareOptions;
  readonly #clock: Pick<Clock, "monotonicMs">;
  #leftMs: number;
  #at: number;

  constructor(options: TimeShareOptions, clock: Pick<Clock, "monotonicMs">) {
    this.#options = options;
    this.#clock = clock;
    this.#leftMs = options.burstMs;
    this.#at = clock.monotonicMs();
  }

  /** Charges work that took `ms` milliseconds. */
  charge(ms: number): void {
    this.#refill();
    this.#leftMs -= ms;
  }

  /** Returns the milliseconds until more work may run, at most one second; 0 if it may run now. */
  pauseMs(): number {
    this.#refill();
    return this.#leftMs > 0 ? 0 : Math.min(SECOND, 1 - this.#leftMs / this.#options.share);
  }

  #refill(): void {
    const now = this.#clock.monotonicMs();
    this.#leftMs = Math.min(this.#options.burstMs, this.#leftMs + (now - this.#at) * this.#options.share);
    this.#at = now;
  }
}
