import { MINUTE } from "../../../lib/clock.ts";
import { TICK_MS } from "../../timer-wheel.ts";

/** Counts occurrences per minute; the minute begins with the first one. */
export class MinuteCount {
  #count = 0;
  #since = 0;

  /** @param tick of the timer wheel @returns the count including this occurrence */
  add(tick: number): number {
    if (this.#count === 0 || tick - this.#since > MINUTE / TICK_MS) {
      this.#count = 0;
      this.#since = tick;
    }
    return ++this.#count;
  }
}
