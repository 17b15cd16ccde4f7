import { MINUTE } from "../lib/clock.ts";

const FIRST_MS = 500;
const LONGEST_MS = 30_000;
/** A process that has run for longer begins again with the first delay. */
const STABLE_MS = MINUTE;

/** How long to wait until a process that has ended is started again: half a second, doubled each time, at most 30 s. */
export class Backoff {
  #failures = 0;

  /** @param ranMs how long the process has run */
  next(ranMs: number): number {
    if (ranMs >= STABLE_MS) this.#failures = 0;
    return Math.min(FIRST_MS * 2 ** this.#failures++, LONGEST_MS);
  }
}
