import { useComputedColorScheme } from "@mantine/core";
import { useEffect, useRef } from "react";
import UPlot from "uplot";
import { localTime, reading, timeTicks } from "../display/format.ts";
import { GROUND, TONES } from "../theme/tones.ts";
import { lonely } from "./gaps.ts";
import { type Band, drawBands, drawLimits, heights } from "./marks.ts";
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
  /** Values that the axis shows with a dashed line each. */
  limits?: readonly number[];
  /** Times that are shaded. */
  bands?: readonly Band[];
  /** The user has dragged over a range. */
  onZoom?: (range: { from: number; to: number }) => void;
}

/** The canvas of a chart; `Chart` loads it. */
export default function ChartCanvas(props: ChartProps) {
  const { label, times, series, range, height = 240, limits = NONE, bands = NONE, onZoom } = props;
  const scheme = useComputedColorScheme("light");
  const element = useRef<HTMLDivElement>(null);
  const plot = useRef<UPlot>(null);
  const names = series.map((each) => each.label).join("\n");
  const shown = useRef<Shown>({ range, limits, bands, onZoom });
  shown.current = { range, limits, bands, onZoom };
  const zooms = onZoom !== undefined;

  useEffect(() => {
    const parent = element.current!;
    const width = parent.clientWidth || 600;
    const options = optionsOf(names.split("\n"), { scheme, width, height, zooms, shown: () => shown.current });
    const created = new UPlot(options, [[]], parent);
    plot.current = created;
    const observer = new ResizeObserver(() => created.setSize({ width: parent.clientWidth, height }));
    observer.observe(parent);
    return () => {
      observer.disconnect();
      created.destroy();
      plot.current = null;
    };
  }, [names, scheme, height, zooms]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: a new canvas needs the data again
  useEffect(() => {
    plot.current?.setData([
      times.map((at) => at / 1000),
      ...series.map(({ values }) => [...values]),
    ] as UPlot.AlignedData);
  }, [times, series, names, scheme, height, zooms, limits, bands, range?.from, range?.to]);

  const last = series.map(({ label, values }) => `${label} ${lastOf(values)}`).join(", ");
  return <div ref={element} className="chart" role="img" aria-label={`${label}. Latest: ${last}`} />;
}

const NONE: readonly never[] = [];

interface Shown extends Required<Pick<ChartProps, "limits" | "bands">> {
  range: ChartProps["range"] | undefined;
  onZoom: ChartProps["onZoom"] | undefined;
}

function lastOf(values: readonly (number | null)[]): string {
  const value = values.findLast((each) => each !== null);
  return value === undefined ? "no value" : reading(value);
}

interface Drawing {
  scheme: "light" | "dark";
  width: number;
  height: number;
  zooms: boolean;
  shown: () => Shown;
}

/** A shorter drag is a click. */
const LEAST_DRAG = 5;

function optionsOf(names: readonly string[], { scheme, width, height, zooms, shown }: Drawing): UPlot.Options {
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
    cursor: { points: { size: 6 }, drag: { x: zooms, y: false, setScale: false, dist: LEAST_DRAG } },
    scales: {
      x: { time: true, range: (_plot, least, most) => bounds(shown().range, least, most) },
      y: { range: (_plot, least, most) => heights(shown().limits, least, most) },
    },
    hooks: {
      drawClear: [(plot) => drawBands(plot, shown().bands, scheme)],
      draw: [(plot) => drawLimits(plot, shown().limits, tones.bad.text)],
      setSelect: [(plot) => zoomed(plot, shown().onZoom)],
    },
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

/** The range that was dragged over; the screen reads and draws it. */
function zoomed(plot: UPlot, onZoom: Shown["onZoom"]): void {
  const { left, width } = plot.select;
  if (width < LEAST_DRAG) return;
  const at = (pixel: number) => Math.round(plot.posToVal(pixel, "x") * 1000);
  plot.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
  onZoom?.({ from: at(left), to: at(left + width) });
}

function bounds(range: { from: number; to: number } | undefined, least: number, most: number): [number, number] {
  if (range) return [range.from / 1000, range.to / 1000];
  return least === most ? [least - 30, most + 30] : [least, most];
}
