import { t } from "#texts/ui.ts";
import { gapsOf, mostDistance, type Span, withGaps } from "./gaps.ts";

const HOUR_MS = 3_600_000;

interface Bucket {
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

/** The margin beside the last point. */
const MARGIN_MS = 5 * 60_000;

/**
 * Returns the range from one hour before an anomaly opened to one hour after its last observation, until now at the
 * latest.
 */
export function rangeOf({ openedAt, lastObservedAt }: Observed, now: number): Span {
  const opened = Date.parse(openedAt);
  const to = Math.min(now + MARGIN_MS, Date.parse(lastObservedAt) + HOUR_MS);
  return { from: opened - HOUR_MS, to: Math.max(opened + MARGIN_MS, to) };
}

/** Returns the numbers that a rule compares with: none, one, or the two ends of a range. */
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

/**
 * Returns the measurements with their gaps. If buckets stand for several values, the highest and the lowest are lines
 * as well.
 */
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
  if (points.every(({ min, max }) => min === max)) return { times, series: [{ label: t.value, values }], gaps };
  const edges = [
    { label: t.highest, values: lineOf("max").values, edge: true as const },
    { label: t.lowest, values: lineOf("min").values, edge: true as const },
  ];
  return { times, series: [{ label: t.average, values }, ...edges], gaps };
}
