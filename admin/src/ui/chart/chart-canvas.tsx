import { useComputedColorScheme } from "@mantine/core";
import { useEffect, useRef, useState } from "react";
import UPlot from "uplot";
import { t } from "#texts/ui.ts";
import { reading } from "../display/format.ts";
import type { Band } from "./chart-options.ts";
import { type Axis, optionsOf, type Shown } from "./chart-options.ts";
import type { Span } from "./gaps.ts";
import type { Limit } from "./limits.ts";
import { MarkRow, type Marks } from "./mark-row.tsx";
import "uplot/dist/uPlot.min.css";
import "./chart.css";

export interface ChartSeries {
  label: string;
  /** One value for each of the chart's times; null for a gap, undefined where the line goes on. */
  values: readonly (number | null | undefined)[];
  /**
   * Set for the highest and the lowest values of the first series: two thin lines with a fill between them, below the
   * other lines.
   */
  edge?: true;
}

export interface ChartProps {
  /** The description of the chart for screen readers. */
  label: string;
  /** Milliseconds, ascending. */
  times: readonly number[];
  series: readonly ChartSeries[];
  /** The range of the axis; from the first time to the last, if absent. */
  range?: Span;
  height?: number;
  /** The values with a dashed line. */
  limits?: readonly Limit[];
  /** The shaded times. */
  bands?: readonly Band[];
  /** The hatched times, without measurements. */
  gaps?: readonly Span[];
  /** The links above the chart; they need a `range`. */
  marks?: Marks;
  /** Called when the user has dragged over a range. */
  onZoom?: (range: Span) => void;
}

/** The canvas of a chart, which `Chart` loads. */
export default function ChartCanvas(props: ChartProps) {
  const { label, times, series, range, height = 240, limits = NONE, bands = NONE, gaps = NONE, marks, onZoom } = props;
  const scheme = useComputedColorScheme("light");
  const element = useRef<HTMLDivElement>(null);
  const plot = useRef<UPlot>(null);
  const [axis, setAxis] = useState<Axis>();
  const names = edgesFirst(series)
    .map(({ label, edge }) => `${edge ? "e" : "-"}${label}`)
    .join("\n");
  const shown = useRef<Shown>({ range, limits, bands, gaps, onZoom });
  shown.current = { range, limits, bands, gaps, onZoom };
  const zooms = onZoom !== undefined;

  useEffect(() => {
    const parent = element.current!;
    const width = parent.clientWidth || 600;
    const lines = names.split("\n").map((name) => ({ label: name.slice(1), edge: name.startsWith("e") }));
    const options = optionsOf(lines, { scheme, width, height, zooms, shown: () => shown.current, onAxis: setAxis });
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
      ...edgesFirst(series).map(({ values }) => [...values]),
    ] as UPlot.AlignedData);
  }, [times, series, names, scheme, height, zooms, limits, bands, gaps, range?.from, range?.to]);

  return (
    <div className="chart-frame">
      {marks && marks.items.length > 0 && range && axis && <MarkRow marks={marks} range={range} axis={axis} />}
      <div ref={element} className="chart" role="img" aria-label={descriptionOf(label, series, limits)} />
    </div>
  );
}

const NONE: readonly never[] = [];

/** Returns the series in the order of drawing: lines are above the fill between the highest and the lowest. */
function edgesFirst(series: readonly ChartSeries[]): ChartSeries[] {
  return [...series.filter(({ edge }) => edge), ...series.filter(({ edge }) => !edge)];
}

function descriptionOf(label: string, series: readonly ChartSeries[], limits: readonly Limit[]): string {
  const last = series.map(({ label, values }) => `${label} ${lastOf(values)}`).join(", ");
  const lines = limits.length > 0 ? t.limits(limits.map(({ label }) => label).join(", ")) : "";
  return t.latest(label, lines, last);
}

function lastOf(values: ChartSeries["values"]): string {
  const value = values.findLast((each) => each !== null && each !== undefined);
  return value == null ? t.noValue : reading(value);
}
