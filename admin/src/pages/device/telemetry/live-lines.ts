import { LIVE } from "../../../parts/chart/time-range.ts";
import { type Line, type Point, withGaps } from "../../../ui/chart/gaps.ts";

const GAP_MS = 30_000;

export interface LiveLine {
  line: Line;
  last: Point | undefined;
}

/**
 * Returns the last ten minutes: the stored readings, then those that have arrived since.
 * @param latest the device's latest value, because a stored point may be the average of several readings
 */
export function liveLine(
  stored: readonly { at: string; avg: number }[],
  arrived: readonly Point[],
  latest: Point | undefined,
): LiveLine {
  const before = stored.map(({ at, avg }) => ({ at: Date.parse(at), value: avg }));
  const newest = before.at(-1)?.at ?? Number.NEGATIVE_INFINITY;
  const all = [...before, ...arrived.filter(({ at }) => at > newest)];
  const last = all.at(-1);
  const since = (last?.at ?? 0) - LIVE.ms;
  return {
    line: withGaps(
      all.filter(({ at }) => at >= since),
      GAP_MS,
    ),
    last: last && latest && latest.at >= last.at ? latest : last,
  };
}
