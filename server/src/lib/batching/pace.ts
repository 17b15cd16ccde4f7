/** The smallest part of a full batch. */
export const LEAST_PART = 1 / 32;
const INCREASE = 1 / 32;
const DECREASE = 1 / 2;

/**
 * How large the next batch is, as a part of a full one: additive increase after a batch that was in time, multiplicative decrease after one
 * that was not. So batches take about the target time, whatever one item costs.
 */
export class Pace {
  #part = 1;

  get part(): number {
    return this.#part;
  }

  /** The size of the next batch, at least 1. @param full the size of a full one */
  of(full: number): number {
    return Math.max(1, Math.floor(full * this.#part));
  }

  /** Records how long a batch took that was as large as allowed: a smaller one says nothing. */
  record(ms: number, targetMs: number): void {
    this.#part = ms > targetMs ? Math.max(LEAST_PART, this.#part * DECREASE) : Math.min(1, this.#part + INCREASE);
  }
}
