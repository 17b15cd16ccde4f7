/** The smallest part of a full batch. */
const LEAST_PART = 1 / 512;
const INCREASE = 1.25;
const DECREASE = 0.5;

/**
 * How large the next batch is, as a part of a full one: a quarter more after a batch that was in time, half of it after one that was not.
 * So batches take about the target time, whatever one item costs.
 */
export class Pace {
  #part = 1;

  /** The size of the next batch, at least 1. @param full the size of a full one */
  of(full: number): number {
    return Math.max(1, Math.floor(full * this.#part));
  }

  /** Records how long a batch took that was as large as allowed: a smaller one says nothing. */
  record(ms: number, targetMs: number): void {
    const part = this.#part * (ms > targetMs ? DECREASE : INCREASE);
    this.#part = Math.min(1, Math.max(LEAST_PART, part));
  }
}
