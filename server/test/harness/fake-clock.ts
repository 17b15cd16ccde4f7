import type { Clock } from "../../src/lib/clock.ts";

/** A clock whose hands the test moves; it starts at the real time, to the second, since TLS checks dates by the real one. */
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

  /** Lets `ms` pass. */
  advance(ms: number): void {
    this.#at += ms;
    this.#monotonic += ms;
  }

  /** Steps the wall clock without time passing, as an NTP correction does. */
  step(ms: number): void {
    this.#at += ms;
  }
}
