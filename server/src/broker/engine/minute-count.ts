import { MINUTE } from "../../lib/clock.ts";
import { TICK_MS } from "../timer-wheel.ts";

/** How often something happened in a minute, which begins when it happens first. */
export class MinuteCount {
  #count = 0;
  #since = 0;

  /** @param tick of the timer wheel. @returns how often, with this time */
  add(tick: number): number {
    if (this.#count === 0 || tick - this.#since > MINUTE / TICK_MS) {
      this.#count = 0;
      this.#since = tick;
    }
    return ++this.#count;
  }
}
