/**
 * Time is an argument: code that needs the time takes a {@link Clock}, so that tests can set it. No other file of the server
 * may call `Date.now()` or `new Date()`; the checker enforces it.
 */
export interface Clock {
  /** The current instant, UTC. */
  now(): Date;
  /** Milliseconds of a clock that never steps: for intervals, leases and rate limits, never for stored times. */
  monotonicMs(): number;
}

/** The clocks of this machine. */
export const systemClock: Clock = {
  now: () => new Date(),
  monotonicMs: () => performance.now(),
};

export const SECOND = 1000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

/** The time `ms` milliseconds after `at`; before it where `ms` is negative. */
export function addMs(at: Date, ms: number): Date {
  return new Date(at.getTime() + ms);
}
