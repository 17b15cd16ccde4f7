/**
 * The source of time, always passed as an argument so that tests can set it. No other file of the server may call
 * `Date.now()` or `new Date()`; the checker enforces it.
 */
export interface Clock {
  /** Returns the current instant, UTC. */
  now(): Date;
  /** Returns the milliseconds of a monotonic clock: for intervals, leases and rate limits, never for stored times. */
  monotonicMs(): number;
}

/** This machine's clocks. */
export const systemClock: Clock = {
  now: () => new Date(),
  monotonicMs: () => performance.now(),
};

export const SECOND = 1000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

/** Returns the time `ms` milliseconds after `at`, or before it if `ms` is negative. */
export function addMs(at: Date, ms: number): Date {
  return new Date(at.getTime() + ms);
}
