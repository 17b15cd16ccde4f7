import type { ChartSeries } from "../../ui/chart/chart.tsx";
import type { Lines } from "../../ui/chart/chart-lines.ts";

export interface Aligned {
  times: number[];
  series: ChartSeries[];
}

/**
 * Puts the averages of several devices on one axis. At the time of another device a line has `undefined`, which does
 * not interrupt it; before its first value and in a gap of its own it has `null`.
 */
export function align(lines: readonly { label: string; lines: Pick<Lines, "times" | "series"> }[]): Aligned {
  const times = [...new Set(lines.flatMap(({ lines }) => lines.times))].sort((one, other) => one - other);
  const series = lines.map(({ label, lines }) => {
    const own = new Map(lines.times.map((at, index) => [at, lines.series[0]?.values[index] ?? null]));
    let last: number | null = null;
    const valueAt = (at: number) => {
      const value = own.get(at);
      if (value === undefined) return last === null ? null : undefined;
      last = value;
      return value;
    };
    return { label, values: times.map(valueAt) };
  });
  return { times, series };
}
