/** The lowest, highest and added numbers of a span of time. */
export interface Bucket {
  /** Where it begins, microseconds since 1970. */
  at: number;
  lowest: number;
  highest: number;
  total: number;
  readings: number;
}

/** Bounds what is added, so that no sum overflows: the sum of extreme numbers is wrong, but finite. */
const MOST = 1e290;

/** Puts numbers in order of their times into buckets, which begin at multiples of `size` since 1970. */
export class Buckets {
  readonly #size: number;
  readonly #buckets: Bucket[] = [];

  /** @param size microseconds */
  constructor(size: number) {
    this.#size = size;
  }

  /** @param time microseconds since 1970 */
  add(time: number, number: number): void {
    this.#put(time, number, number, bounded(number), 1);
  }

  /** Adds what a part of a bucket has, which begins anywhere in it, or all of it. */
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

/** What a number adds to a total. */
export function bounded(number: number): number {
  return Math.max(Math.min(number, MOST), -MOST);
}
