import type { ChartSeries } from "../../ui/chart/chart.tsx";
import type { Lines } from "../../ui/chart/chart-lines.ts";

export interface Aligned {
  times: number[];
  series: ChartSeries[];
}

/**
 * Puts the averages of several devices on one axis. A device without a value at the time of another's has `undefined`
 * there, which does not interrupt its line; its own gaps stay `null`.
 */
export function align(lines: readonly { label: string; lines: Pick<Lines, "times" | "series"> }[]): Aligned {
  const times = [...new Set(lines.flatMap(({ lines }) => lines.times))].sort((one, other) => one - other);
  const series = lines.map(({ label, lines }) => {
    const values = new Map(lines.times.map((at, index) => [at, lines.series[0]?.values[index] ?? null]));
    return { label, values: times.map((at) => values.get(at)) };
  });
  return { times, series };
}
