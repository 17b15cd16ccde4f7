/** The time that a batch may take beyond the time of a small one. */
const ROWS_MS = 10;
const WEIGHT = 0.1;
/**
 * The upper limit for a small batch. On a disk that suits the load, a commit takes no longer; anything beyond is work
 * for rules or waiting for locks.
 */
const MOST_MS = 30;

/**
 * The target time of a batch while several tenants send: the time of a small batch, mostly for its commit, plus ten
 * milliseconds for rows. With a fixed time, a slow disk would leave no room for rows at all.
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
