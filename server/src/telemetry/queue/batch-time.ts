/** The time that a batch may take beyond the time of a small one. */
const ROWS_MS = 10;
const WEIGHT = 0.1;
/** The limit for a small batch. A commit takes less on an adequate disk; longer times are due to rules or locks. */
const MOST_MS = 30;

/**
 * The target time of a batch while several tenants send: the time of a small batch, which is mostly its commit, plus
 * ten milliseconds for rows. With a fixed target, the commit on a slow disk would leave no time for rows.
 */
export class BatchTime {
  #smallMs = 0;

  get targetMs(): number {
    return this.#smallMs + ROWS_MS;
  }

  /** Records how long a batch took in which every tenant has only a few rows. */
  recordSmall(ms: number): void {
    this.#smallMs += WEIGHT * (Math.min(ms, MOST_MS) - this.#smallMs);
  }
}
