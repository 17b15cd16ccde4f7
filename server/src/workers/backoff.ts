import { MINUTE } from "../lib/clock.ts";

const FIRST_MS = 500;
const LONGEST_MS = 30_000;
/** The run time after which a process starts over with the first delay. */
const STABLE_MS = MINUTE;

/** The exponential backoff before a process that has ended is restarted: half a second, doubling up to 30 s. */
export class Backoff {
  #failures = 0;

  /** Returns the milliseconds to wait. @param ranMs how long the process has run */
  next(ranMs: number): number {
    if (ranMs >= STABLE_MS) this.#failures = 0;
    return Math.min(FIRST_MS * 2 ** this.#failures++, LONGEST_MS);
  }
}
