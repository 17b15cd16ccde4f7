/**
 * Time as an argument. Everything that asks "what time is it" takes a {@link Clock}, so a test can hold the hands.
 * This is the only file of the server that may touch `Date.now()`.
 */
export interface Clock {
  /** The current instant, UTC. */
  now(): Date;
  /** Milliseconds on a clock that never steps; for intervals, leases and rate limits, never for records. */
  monotonicMs(): number;
}

/** The machine's own clocks. */
export const systemClock: Clock = {
  now: () => new Date(),
  monotonicMs: () => performance.now(),
};

export const SECOND = 1000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

/** `at` moved by `ms` milliseconds (negative for earlier). */
export function plus(at: Date, ms: number): Date {
  return new Date(at.getTime() + ms);
}
