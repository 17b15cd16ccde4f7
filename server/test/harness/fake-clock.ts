import type { Clock } from "../../src/lib/clock.ts";

/**
 * A clock that the test controls. It starts at the real time, to the second, because TLS checks dates against the real
 * time.
 */
export class FakeClock implements Clock {
  #at: number;
  #monotonic = 0;

  constructor(at: Date = new Date(Math.floor(Date.now() / 1000) * 1000)) {
    this.#at = at.getTime();
  }

  now(): Date {
    return new Date(this.#at);
  }

  monotonicMs(): number {
    return this.#monotonic;
  }

  /** Advances the clock by `ms`. */
  advance(ms: number): void {
    this.#at += ms;
    this.#monotonic += ms;
  }

  /** Steps the wall clock while no time passes, as an NTP correction does. */
  step(ms: number): void {
    this.#at += ms;
  }
}
