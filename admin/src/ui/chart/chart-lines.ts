import { gapsOf, mostDistance, type Span, withGaps } from "./gaps.ts";

const HOUR_MS = 3_600_000;

export interface Bucket {
  at: string;
  min: number;
  avg: number;
  max: number;
  count: number;
}

interface Observed {
  openedAt: string;
  lastObservedAt: string;
}

/** Beside the last point. */
const MARGIN_MS = 5 * 60_000;

/** From an hour before an anomaly opened to an hour after it was last observed, as far as that has passed. */
export function rangeOf({ openedAt, lastObservedAt }: Observed, now: number): Span {
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
  range: Span;
  now: number;
}

export interface Lines {
  times: number[];
  series: { label: string; values: (number | null)[]; edge?: true }[];
  gaps: Span[];
}

/** What was measured, with its gaps. Where buckets stand for several values, the highest and the lowest are lines as well. */
export function chartLines({ points, bucketSeconds, range, now }: Measured): Lines {
  const bucketMs = bucketSeconds * 1000;
  const filled = points.map(({ at, count }) => ({ at: Date.parse(at), count }));
  const most = mostDistance(filled, bucketMs);
  const lineOf = (value: "avg" | "min" | "max") =>
    withGaps(
      points.map((point, index) => ({ at: filled[index]!.at, value: point[value] })),
      most,
    );
  const { times, values } = lineOf("avg");
  const gaps = gapsOf(filled, bucketMs, range, now);
  if (points.every(({ min, max }) => min === max)) return { times, series: [{ label: "value", values }], gaps };
  const edges = [
    { label: "highest", values: lineOf("max").values, edge: true as const },
    { label: "lowest", values: lineOf("min").values, edge: true as const },
  ];
  return { times, series: [{ label: "average", values }, ...edges], gaps };
}
