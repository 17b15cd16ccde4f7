/** What a batch may take beyond the time of a small one. */
const ROWS_MS = 10;
const WEIGHT = 0.1;
/** One batch that waited for a lock says nothing about the next. */
const MOST_MS = 100;

/**
 * How long a batch may take while several tenants send: what a small one takes anyway, of which the commit is most, and ten milliseconds
 * for rows. A fixed time would, on a slow disk, leave no room for rows at all.
 */
export class BatchTime {
  #smallMs = 0;

  get targetMs(): number {
    return this.#smallMs + ROWS_MS;
  }

  /** Records how long a small batch took: one in which no tenant has more than the least part of its share. */
  recordSmall(ms: number): void {
    this.#smallMs += WEIGHT * (Math.min(ms, MOST_MS) - this.#smallMs);
  }
}
