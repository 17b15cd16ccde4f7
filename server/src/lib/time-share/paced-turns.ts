import type { Clock } from "../clock.ts";
import { TimeShare, type TimeShareOptions } from "./time-share.ts";

export interface PacedTurnsOptions extends TimeShareOptions {
  /** The milliseconds that a turn should take. */
  readonly turnMs: number;
  /** The maximum number of steps of a turn. */
  readonly mostSteps: number;
}

/**
 * Does queued work in short turns of the event loop, and within a share of its time. A turn has as many steps as fit,
 * by the duration of the previous turn's steps.
 */
export class PacedTurns {
  readonly #options: PacedTurnsOptions;
  readonly #clock: Pick<Clock, "monotonicMs">;
  readonly #step: () => boolean;
  readonly #share: TimeShare;
  #isPlanned = false;
  #hasMore = false;
  #steps: number;

  /** @param step does one piece of the work; returns false if nothing can be done now */
  constructor(options: PacedTurnsOptions, clock: Pick<Clock, "monotonicMs">, step: () => boolean) {
    this.#options = options;
    this.#clock = clock;
    this.#step = step;
    this.#share = new TimeShare(options, clock);
    this.#steps = options.mostSteps;
  }

  /** Plans a turn, unless one is planned; to be called when there is work. */
  plan(): void {
    this.#hasMore = true;
    if (this.#isPlanned) return;
    this.#isPlanned = true;
    const pauseMs = this.#share.pauseMs();
    if (pauseMs > 0) setTimeout(() => this.#turn(), pauseMs).unref();
    else this.#turn();
  }

  /**
   * Runs a turn. Between two immediates set together, only the microtasks of the first run: the work of its steps until
   * they had to wait.
   */
  #turn(): void {
    let begun = 0;
    let done = 0;
    setImmediate(() => {
      begun = this.#clock.monotonicMs();
      do {
        this.#hasMore = false;
        if (this.#step()) this.#hasMore = true;
      } while (++done < this.#steps && this.#hasMore);
    });
    setImmediate(() => {
      const tookMs = this.#clock.monotonicMs() - begun;
      this.#share.charge(tookMs);
      this.#adapt(tookMs / done);
      this.#isPlanned = false;
      if (this.#hasMore) this.plan();
    });
  }

  #adapt(stepMs: number): void {
    const { turnMs, mostSteps } = this.#options;
    this.#steps = Math.max(1, Math.min(mostSteps, Math.floor(turnMs / stepMs)));
  }
}
