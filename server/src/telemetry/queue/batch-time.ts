/** What a batch may take beyond the time of a small one. */
const ROWS_MS = 10;
const WEIGHT = 0.1;
/** A commit takes no longer on a disk that suits the load; what takes longer is the work of rules, or a wait for a lock. */
const MOST_MS = 30;

/**
 * How long a batch may take while several tenants send: what a small one takes anyway, of which the commit is most, and ten milliseconds
 * for rows. A fixed time would, on a slow disk, leave no room for rows at all.
 */
export class BatchTime {
  #smallMs = 0;

  get targetMs(): number {
    return this.#smallMs + ROWS_MS;
  }

  /** Records how long a batch took in which every tenant has a few rows. */
  recordSmall(ms: number): void {
    this.#smallMs += WEIGHT * (Math.min(ms, MOST_MS) - this.#smallMs);
  }
}
