export interface Point {
  /** Milliseconds. */
  at: number;
  value: number;
}

export interface Line {
  times: number[];
  values: (number | null)[];
}

/** A range of time, in milliseconds. */
export interface Span {
  from: number;
  to: number;
}

/**
 * Returns a line through `points`, interrupted where two of them are further apart than `mostMs`: nothing was measured
 * there.
 */
export function withGaps(points: readonly Point[], mostMs: number): Line {
  const line: Line = { times: [], values: [] };
  let last: Point | undefined;
  for (const point of points) {
    if (last && point.at - last.at > mostMs) {
      line.times.push(last.at + 1);
      line.values.push(null);
    }
    line.times.push(point.at);
    line.values.push(point.value);
    last = point;
  }
  return line;
}

/** Returns the indexes of values without a neighbour, which a line does not show. */
export function lonely(values: ArrayLike<number | null | undefined>): number[] {
  const is = (at: number) => values[at] !== null && values[at] !== undefined;
  return Array.from(values, (_, at) => at).filter((at) => is(at) && !is(at - 1) && !is(at + 1));
}

/** A bucket that begins at `at` and has `count` readings, at least one. */
export interface Filled {
  at: number;
  count: number;
}

/** Buckets with this many readings each are never empty while the device publishes. */
const SEVERAL = 3;
/** A device that publishes less often than buckets begin may skip two of its turns. */
const MOST_TURNS = 3;

/**
 * Returns how far apart two buckets may begin without a gap. Among buckets of several readings, an empty one is a gap.
 * If most have one reading, the device publishes less often than buckets begin, and its usual interval counts.
 */
export function mostDistance(buckets: readonly Filled[], bucketMs: number): number {
  const distances = buckets.slice(1).map(({ at }, before) => at - buckets[before]!.at);
  const readings = median(buckets.map(({ count }) => count));
  return readings >= SEVERAL ? bucketMs : MOST_TURNS * Math.max(bucketMs, median(distances));
}

/** Returns the past times of the range without a reading. */
export function gapsOf(buckets: readonly Filled[], bucketMs: number, range: Span, now: number): Span[] {
  const most = mostDistance(buckets, bucketMs);
  const end = Math.min(range.to, now);
  const [first, last] = [buckets[0], buckets.at(-1)];
  if (!first || !last) return end > range.from ? [{ from: range.from, to: end }] : [];
  const between = buckets.slice(1).map(({ at }, before) => ({ from: buckets[before]!.at + bucketMs, to: at }));
  const gaps = between.filter(({ from, to }) => to - from + bucketMs > most);
  if (first.at - range.from > most) gaps.unshift({ from: range.from, to: first.at });
  // The newest bucket has only begun.
  if (end - last.at > most + bucketMs) gaps.push({ from: last.at + bucketMs, to: end });
  return gaps;
}

function median(numbers: readonly number[]): number {
  return numbers.toSorted((one, other) => one - other)[Math.floor(numbers.length / 2)] ?? 0;
}
