import { withGaps } from "./gaps.ts";

const HOUR_MS = 3_600_000;
/** Two buckets without a reading are no gap yet. */
const MOST_EMPTY_BUCKETS = 3;

export interface Bucket {
  at: string;
  min: number;
  avg: number;
  max: number;
}

interface Observed {
  openedAt: string;
  lastObservedAt: string;
}

interface Range {
  from: number;
  to: number;
}

/** Beside the last point. */
const MARGIN_MS = 5 * 60_000;

/** From an hour before an anomaly opened to an hour after it was last observed, as far as that has passed. */
export function rangeOf({ openedAt, lastObservedAt }: Observed, now: number): Range {
  const opened = Date.parse(openedAt);
  const to = Math.min(now + MARGIN_MS, Date.parse(lastObservedAt) + HOUR_MS);
  return { from: opened - HOUR_MS, to: Math.max(opened + MARGIN_MS, to) };
}

/** The numbers that a rule compares with: none, one, or the two ends of a range. */
export function limitsOf(limit: unknown): number[] {
  return [limit].flat().filter((each) => typeof each === "number");
}

interface Measured {
  points: readonly Bucket[];
  bucketSeconds: number;
  range: Range;
  limits: readonly number[];
}

interface Lines {
  times: number[];
  series: { label: string; values: (number | null)[] }[];
}

/** What was measured, with gaps, and each limit as a line over the whole range. */
export function chartLines({ points, bucketSeconds, range, limits }: Measured): Lines {
  const lineOf = (value: "avg" | "min" | "max") =>
    withGaps(
      points.map((point) => ({ at: Date.parse(point.at), value: point[value] })),
      bucketSeconds * 1000 * MOST_EMPTY_BUCKETS,
    );
  const average = lineOf("avg");
  const spread = points.some(({ min, max }) => min !== max);
  const measured = spread
    ? [
        { label: "average", values: average.values },
        { label: "highest", values: lineOf("max").values },
        { label: "lowest", values: lineOf("min").values },
      ]
    : [{ label: "value", values: average.values }];
  const times = [range.from, ...average.times, range.to];
  const series = measured.map(({ label, values }) => ({ label, values: [null, ...values, null] }));
  const lines = limits.map((limit, at) => ({ label: nameOfLimit(at, limits.length), values: times.map(() => limit) }));
  return { times, series: [...series, ...lines] };
}

function nameOfLimit(at: number, of: number): string {
  if (of === 1) return "limit";
  return at === 0 ? "lower limit" : "upper limit";
}
