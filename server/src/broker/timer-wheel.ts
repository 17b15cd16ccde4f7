/** Something that is due at some time, once; the wheel keeps `dueTick`. */
export interface Timed {
  dueTick: number;
  onDue(): void;
}

export const TICK_MS = 250;
const SLOTS = 256;

/**
 * Timeouts of many sessions by one timer. They are late by up to two ticks and never early. Time is counted in ticks of the event loop,
 * so a process that was stopped for a while does not time out clients that it has not read.
 */
export class TimerWheel {
  /** How many ticks there have been. */
  now = 0;
  readonly #slots: Set<Timed>[] = Array.from({ length: SLOTS }, () => new Set());
  #timer: NodeJS.Timeout | undefined;

  start(): void {
    this.#timer = setInterval(() => this.tick(), TICK_MS).unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  /** Calls `timed.onDue()` in `ms`, instead of at the time that was set before. */
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
