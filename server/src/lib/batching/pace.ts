/** The smallest batch, as a fraction of a full one. */
const LEAST_PART = 1 / 512;
const INCREASE = 1.25;
const DECREASE = 0.5;

/**
 * Adapts the batch size, as a fraction of a full batch: a quarter more after a batch that was in time, half after one
 * that was not. Batches then take about the target time, whatever one item costs.
 */
export class Pace {
  #part = 1;

  /** Returns the size of the next batch, at least 1. @param full the size of a full one */
  of(full: number): number {
    return Math.max(1, Math.floor(full * this.#part));
  }

  /** Records the duration of a batch of the full permitted size; a smaller one would say nothing. */
  record(ms: number, targetMs: number): void {
    const part = this.#part * (ms > targetMs ? DECREASE : INCREASE);
    this.#part = Math.min(1, Math.max(LEAST_PART, part));
  }
}
