/** The ratio of a bucket's upper edge to the one before it: a percentile is at most 2 % too high. */
const RATIO = 1.02;
const LOG_RATIO = Math.log(RATIO);
/** The upper edge of the first bucket, in milliseconds. */
const FIRST_MS = 0.01;
/** The last bucket ends after ten minutes and contains everything longer. */
const BUCKETS = Math.ceil(Math.log(600_000 / FIRST_MS) / LOG_RATIO) + 1;

/** The form of a {@link Histogram} between processes. */
export interface HistogramData {
  readonly counts: Uint32Array;
  readonly maxMs: number;
}

/** Durations in buckets of constant relative width: 4 kB for any number, and several processes' can be added. */
export class Histogram {
  count = 0;
  maxMs = 0;
  readonly #counts = new Uint32Array(BUCKETS);

  add(ms: number): void {
    const bucket = ms <= FIRST_MS ? 0 : Math.ceil(Math.log(ms / FIRST_MS) / LOG_RATIO);
    this.#counts[Math.min(bucket, BUCKETS - 1)]!++;
    this.count++;
    if (ms > this.maxMs) this.maxMs = ms;
  }

  merge({ counts, maxMs }: HistogramData): void {
    for (const [bucket, count] of counts.entries()) {
      this.#counts[bucket]! += count;
      this.count += count;
    }
    this.maxMs = Math.max(this.maxMs, maxMs);
  }

  /** Returns the duration that `share` of them do not exceed, in milliseconds; undefined where there is none. */
  percentile(share: number): number | undefined {
    let left = Math.ceil(share * this.count);
    if (this.count === 0) return undefined;
    for (const [bucket, count] of this.#counts.entries()) {
      left -= count;
      if (left <= 0) return Math.min(this.maxMs, FIRST_MS * RATIO ** bucket);
    }
    return this.maxMs;
  }

  data(): HistogramData {
    return { counts: this.#counts, maxMs: this.maxMs };
  }
}
