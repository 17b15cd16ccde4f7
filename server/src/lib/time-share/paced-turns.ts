import { type Clock, SECOND } from "../clock.ts";
import { TimeShare, type TimeShareOptions } from "./time-share.ts";

export interface PacedTurnsOptions extends TimeShareOptions {
  /** The milliseconds that a turn should take. */
  readonly turnMs: number;
  /** The maximum number of steps of a turn. */
  readonly mostSteps: number;
}

/** An event loop that needs less than this from one turn to the next has nothing else to do, in milliseconds. */
const IDLE_MS = 0.1;

/**
 * Does queued work in short turns of the event loop, and within a share of its time. While the loop has other work, it
 * has that share after each turn, too, so that a burst only takes idle time. A turn has as many steps as fit, by the
 * duration of the previous turn's steps.
 */
export class PacedTurns {
  readonly #options: PacedTurnsOptions;
  readonly #clock: Pick<Clock, "monotonicMs">;
  readonly #step: () => boolean;
  readonly #share: TimeShare;
  #isPlanned = false;
  #hasMore = false;
  #steps: number;
  /** The duration and the end of the previous turn. */
  #tookMs = 0;
  #endedAt = 0;

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
    this.#turnAfter(this.#share.pauseMs());
  }

  #turnAfter(pauseMs: number): void {
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
      const restMs = this.#restMs(begun);
      if (restMs > 0) {
        this.#turnAfter(restMs);
        return;
      }
      do {
        this.#hasMore = false;
        if (this.#step()) this.#hasMore = true;
      } while (++done < this.#steps && this.#hasMore);
    });
    setImmediate(() => {
      if (done > 0) this.#ended(begun, done);
    });
  }

  /** Returns the milliseconds that other work still has after the previous turn; 0 if there is none. */
  #restMs(now: number): number {
    const othersMs = now - this.#endedAt;
    const leftMs = this.#tookMs * (1 / this.#options.share - 1) - othersMs;
    return othersMs <= IDLE_MS || leftMs <= 0 ? 0 : Math.min(SECOND, Math.ceil(leftMs));
  }

  #ended(begun: number, steps: number): void {
    this.#endedAt = this.#clock.monotonicMs();
    this.#tookMs = this.#endedAt - begun;
    this.#share.charge(this.#tookMs);
    this.#adapt(this.#tookMs / steps);
    this.#isPlanned = false;
    if (this.#hasMore) this.plan();
  }

  #adapt(stepMs: number): void {
    const { turnMs, mostSteps } = this.#options;
    this.#steps = Math.max(1, Math.min(mostSteps, Math.floor(turnMs / stepMs)));
  }
}
