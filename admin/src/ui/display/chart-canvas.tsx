import { useComputedColorScheme } from "@mantine/core";
import { useEffect, useRef } from "react";
import UPlot from "uplot";
import { GROUND, TONES } from "../theme/tones.ts";
import { localTime, reading, timeTicks } from "./format.ts";
import { lonely } from "./gaps.ts";
import "uplot/dist/uPlot.min.css";
import "./chart.css";

export interface ChartSeries {
  label: string;
  /** One value for each of the chart's times; null where there is none. */
  values: readonly (number | null)[];
}

export interface ChartProps {
  /** For screen readers: what the chart shows. */
  label: string;
  /** Milliseconds, ascending. */
  times: readonly number[];
  series: readonly ChartSeries[];
  /** Milliseconds; absent: from the first time to the last. */
  range?: { from: number; to: number };
  height?: number;
}

/** The canvas of a chart; `Chart` loads it. */
export default function ChartCanvas({ label, times, series, range, height = 240 }: ChartProps) {
  const scheme = useComputedColorScheme("light");
  const element = useRef<HTMLDivElement>(null);
  const plot = useRef<UPlot>(null);
  const names = series.map((each) => each.label).join("\n");
  const shown = useRef(range);
  shown.current = range;

  useEffect(() => {
    const parent = element.current!;
    const width = parent.clientWidth || 600;
    const created = new UPlot(
      optionsOf(names.split("\n"), { scheme, width, height, range: () => shown.current }),
      [[]],
      parent,
    );
    plot.current = created;
    const observer = new ResizeObserver(() => created.setSize({ width: parent.clientWidth, height }));
    observer.observe(parent);
    return () => {
      observer.disconnect();
      created.destroy();
      plot.current = null;
    };
  }, [names, scheme, height]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: a new canvas needs the data again
  useEffect(() => {
    plot.current?.setData([
      times.map((at) => at / 1000),
      ...series.map(({ values }) => [...values]),
    ] as UPlot.AlignedData);
  }, [times, series, names, scheme, height, range?.from, range?.to]);

  const last = series.map(({ label, values }) => `${label} ${lastOf(values)}`).join(", ");
  return <div ref={element} className="chart" role="img" aria-label={`${label}. Latest: ${last}`} />;
}

function lastOf(values: readonly (number | null)[]): string {
  const value = values.findLast((each) => each !== null);
  return value === undefined ? "no value" : reading(value);
}

interface Drawing {
  scheme: "light" | "dark";
  width: number;
  height: number;
  range: () => { from: number; to: number } | undefined;
}

function optionsOf(names: readonly string[], { scheme, width, height, range }: Drawing): UPlot.Options {
  const { soft, line } = GROUND[scheme];
  const tones = TONES[scheme];
  const colours = [tones.accent.text, tones.warn.text, tones.good.text, tones.bad.text, tones.neutral.text];
  const axis = {
    stroke: soft,
    grid: { stroke: line, width: 1 },
    ticks: { stroke: line, width: 1 },
    font: "12px system-ui",
  };
  return {
    width,
    height,
    legend: { show: names.length > 1, live: true },
    cursor: { points: { size: 6 } },
    scales: { x: { time: true, range: (_plot, least, most) => bounds(range(), least, most) } },
    axes: [
      { ...axis, values: (_plot, ticks) => timeTicks(ticks) },
      { ...axis, size: 56, values: (_plot, ticks) => ticks.map((tick) => reading(tick)) },
    ],
    series: [
      { label: "Time", value: (_plot, at) => (at ? localTime(at * 1000) : "–") },
      ...names.map((label, at) => ({
        label,
        stroke: colours[at % colours.length]!,
        width: 1.5,
        spanGaps: false,
        // A line needs two points: one between gaps is a dot.
        points: { show: true, size: 5, filter: (plot: UPlot, series: number) => lonely(plot.data[series] ?? []) },
        value: (_plot: UPlot, value: number | null) => (value === null ? "–" : reading(value)),
      })),
    ],
  };
}

function bounds(range: { from: number; to: number } | undefined, least: number, most: number): [number, number] {
  if (range) return [range.from / 1000, range.to / 1000];
  return least === most ? [least - 30, most + 30] : [least, most];
}
