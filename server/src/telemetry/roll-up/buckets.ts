/** The minimum, maximum, sum and count of the numbers in a span of time. */
export interface Bucket {
  /** The start, in microseconds since 1970. */
  at: number;
  lowest: number;
  highest: number;
  total: number;
  readings: number;
}

/** The bound of each summand, so that no sum overflows. The sum of extreme numbers is wrong, but finite. */
const MOST = 1e290;

/** Collects numbers, in time order, into buckets that begin at multiples of `size` since 1970. */
export class Buckets {
  readonly #size: number;
  readonly #buckets: Bucket[] = [];

  /** @param size in microseconds */
  constructor(size: number) {
    this.#size = size;
  }

  /** @param time in microseconds since 1970 */
  add(time: number, number: number): void {
    this.#put(time, number, number, bounded(number), 1);
  }

  /** Merges all or part of a bucket; a part may begin anywhere within the bucket. */
  merge({ at, lowest, highest, total, readings }: Bucket): void {
    this.#put(at, lowest, highest, total, readings);
  }

  #put(time: number, lowest: number, highest: number, total: number, readings: number): void {
    const at = Math.floor(time / this.#size) * this.#size;
    const last = this.#buckets.at(-1);
    if (last?.at !== at) {
      this.#buckets.push({ at, lowest, highest, total, readings });
      return;
    }
    last.lowest = Math.min(last.lowest, lowest);
    last.highest = Math.max(last.highest, highest);
    last.total += total;
    last.readings += readings;
  }

  get all(): readonly Bucket[] {
    return this.#buckets;
  }
}

/** Returns a number's contribution to a sum. */
export function bounded(number: number): number {
  return Math.max(Math.min(number, MOST), -MOST);
}
