/** A one-shot timer; the wheel maintains `dueTick`. */
export interface Timed {
  dueTick: number;
  onDue(): void;
}

export const TICK_MS = 250;
const SLOTS = 256;

/**
 * Runs the timeouts of many sessions on one timer, up to two ticks late and never early. Time is counted in ticks of
 * the event loop, so a process that was suspended does not time out clients that it has had no chance to read.
 */
export class TimerWheel {
  /** The number of ticks so far. */
  now = 0;
  readonly #slots: Set<Timed>[] = Array.from({ length: SLOTS }, () => new Set());
  #timer: NodeJS.Timeout | undefined;

  start(): void {
    this.#timer = setInterval(() => this.tick(), TICK_MS).unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  /** Calls `timed.onDue()` in `ms`, replacing any time set before. */
  set(timed: Timed, ms: number): void {
    this.clear(timed);
    timed.dueTick = this.now + 1 + Math.ceil(ms / TICK_MS);
    this.#slotOf(timed).add(timed);
  }

  clear(timed: Timed): void {
    this.#slotOf(timed).delete(timed);
  }

  tick(): void {
    this.now++;
    const slot = this.#slots[this.now % SLOTS]!;
    for (const timed of slot) {
      if (timed.dueTick > this.now) continue;
      slot.delete(timed);
      timed.onDue();
    }
  }

  #slotOf({ dueTick }: Timed): Set<Timed> {
    return this.#slots[dueTick % SLOTS]!;
  }
}
