import type UPlot from "uplot";
import { localTime, reading, timeTicks } from "../display/format.ts";
import { GROUND, type Scheme, TONES } from "../theme/tones.ts";
import { lonely, type Span } from "./gaps.ts";
import type { Limit } from "./limits.ts";
import { type Band, drawBands, drawGaps, drawLimits, heights } from "./marks.ts";

/** What a chart shows now; it is read whenever the chart is drawn. */
export interface Shown {
  range: Span | undefined;
  limits: readonly Limit[];
  bands: readonly Band[];
  gaps: readonly Span[];
  onZoom: ((range: Span) => void) | undefined;
}

/** Where the axis of time is, in pixels of the page. */
export interface Axis {
  left: number;
  width: number;
}

interface LineStyle {
  label: string;
  edge: boolean;
}

interface Drawing {
  scheme: Scheme;
  width: number;
  height: number;
  zooms: boolean;
  shown: () => Shown;
  onAxis: (axis: Axis) => void;
}

/** A shorter drag is a click. */
const LEAST_DRAG = 5;
/** What the charts of a page share: the time below the pointer, and not what is dragged over. */
const SHARED_EVENTS = ["mousemove", "mouseleave"];
const PIXELS_OF_A_VALUE = 56;

/** Appended to a colour: the grid is seen through the fill (hexadecimal, of 255). */
const FILL_OPACITY = "2b";

/** @param lines in the order in which they are drawn, edges first */
export function optionsOf(lines: readonly LineStyle[], drawing: Drawing): UPlot.Options {
  const { scheme, width, height, zooms, shown, onAxis } = drawing;
  const { soft, line } = GROUND[scheme];
  const ticks = { stroke: line, width: 1 };
  const axis = { stroke: soft, grid: ticks, ticks, font: "12px system-ui" };
  const measureAxis = ({ bbox }: UPlot) =>
    onAxis({ left: bbox.left / devicePixelRatio, width: bbox.width / devicePixelRatio });
  const edges = lines.flatMap(({ edge }, at) => (edge ? [at + 1] : []));
  return {
    width,
    height,
    legend: { show: lines.length > 1, live: true },
    cursor: {
      points: { size: 6 },
      drag: { x: zooms, y: false, setScale: false, dist: LEAST_DRAG },
      sync: { key: "time", scales: ["x", null], filters: { pub: (type) => SHARED_EVENTS.includes(type) } },
    },
    scales: {
      x: { time: true, range: (_plot, least, most) => bounds(shown().range, least, most) },
      y: { range: (_plot, least, most) => heights(shown().limits, least, most) },
    },
    hooks: {
      ready: [measureAxis],
      setSize: [measureAxis],
      drawClear: [(plot) => drawGaps(plot, shown().gaps, scheme), (plot) => drawBands(plot, shown().bands, scheme)],
      draw: [(plot) => drawLimits(plot, shown().limits, scheme)],
      setSelect: [(plot) => zoomed(plot, shown().onZoom)],
    },
    axes: [
      { ...axis, values: (_plot, ticks) => timeTicks(ticks) },
      { ...axis, size: PIXELS_OF_A_VALUE, values: (_plot, ticks) => ticks.map((tick) => reading(tick)) },
    ],
    ...(edges.length === 2 ? { bands: [{ series: edges as [number, number], fill: fillOf(scheme) }] } : {}),
    series: [
      { label: "Time", value: (_plot, at) => (at ? localTime(at * 1000) : "–") },
      ...lines.map((line, at) => seriesOf(line, at - edges.length, scheme)),
    ],
  };
}

function fillOf(scheme: Scheme): string {
  return `${TONES[scheme].accent.text}${FILL_OPACITY}`;
}

/** @param at its place among the lines that are no edges */
function seriesOf({ label, edge }: LineStyle, at: number, scheme: Scheme): UPlot.Series {
  const { accent, warn, good, bad, neutral } = TONES[scheme];
  const colours = [accent.text, warn.text, good.text, bad.text, neutral.text];
  return {
    label,
    stroke: edge ? accent.border : colours[at % colours.length]!,
    width: edge ? 1 : 1.5,
    spanGaps: false,
    // A line needs two points: one between gaps is a dot.
    points: { show: true, size: 5, filter: (plot: UPlot, series: number) => lonely(plot.data[series] ?? []) },
    value: (_plot: UPlot, value: number | null) => (value === null ? "–" : reading(value)),
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

function bounds(range: Span | undefined, least: number, most: number): [number, number] {
  if (range) return [range.from / 1000, range.to / 1000];
  return least === most ? [least - 30, most + 30] : [least, most];
}
