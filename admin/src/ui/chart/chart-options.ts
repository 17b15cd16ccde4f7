import UPlot from "uplot";
import { t } from "#texts/ui.ts";
import { localTime, reading, timeTicks } from "../display/format.ts";
import { GROUND, type Scheme, TONES, type Tone } from "../theme/tones.ts";
import { lonely, type Span } from "./gaps.ts";
import type { Limit } from "./limits.ts";

/** The present content of a chart, read whenever it is drawn. */
export interface Shown {
  range: Span | undefined;
  limits: readonly Limit[];
  bands: readonly Band[];
  gaps: readonly Span[];
  onZoom: ((range: Span) => void) | undefined;
}

/** The position of the time axis, in pixels of the page. */
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
/** The events that the charts of a page share: the time below the pointer, but not a dragged range. */
const SHARED_EVENTS = ["mousemove", "mouseleave"];
const PIXELS_OF_A_VALUE = 56;

/** The alpha appended to a colour (hexadecimal, of 255): the grid shows through the fill. */
const FILL_OPACITY = "2b";

/** Returns the options of the chart. @param lines in the order of drawing, edges first */
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
      { label: t.time, value: (_plot, at) => (at ? localTime(at * 1000) : "–") },
      ...lines.map((line, at) => seriesOf(line, at - edges.length, scheme)),
    ],
  };
}

function fillOf(scheme: Scheme): string {
  return `${TONES[scheme].accent.text}${FILL_OPACITY}`;
}

/** Returns the options of a line. @param at its position among the lines that are no edges */
function seriesOf({ label, edge }: LineStyle, at: number, scheme: Scheme): UPlot.Series {
  const { accent, warn, good, bad, neutral } = TONES[scheme];
  const colours = [accent.text, warn.text, good.text, bad.text, neutral.text];
  return {
    label,
    stroke: edge ? accent.border : colours[at % colours.length]!,
    width: edge ? 1 : 1.5,
    // Lines beyond the colours are dashed.
    dash: at >= colours.length ? [6, 4] : [],
    spanGaps: false,
    // A line needs two points: a single one between gaps is a dot.
    points: { show: true, size: 5, filter: (plot: UPlot, series: number) => lonely(plot.data[series] ?? []) },
    value: (_plot: UPlot, value: number | null) => (value === null ? "–" : reading(value)),
  };
}

/** Reports the dragged range, which the screen then reads and draws. */
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

/** A shaded time, such as that of an anomaly. */
export interface Band extends Span {
  tone: Tone;
}

/** The minimum width in pixels, so that a short time is visible. */
const LEAST_WIDTH = 3;
const DASH = [6, 4];

/** Shades the bands, behind the lines. */
function drawBands({ ctx, bbox, valToPos }: UPlot, bands: readonly Band[], scheme: Scheme): void {
  ctx.save();
  ctx.beginPath();
  ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
  ctx.clip();
  for (const { from, to, tone } of bands) {
    const left = valToPos(from / 1000, "x", true);
    const width = Math.max(LEAST_WIDTH, valToPos(to / 1000, "x", true) - left);
    ctx.fillStyle = TONES[scheme][tone].fill;
    ctx.fillRect(left, bbox.top, width, bbox.height);
    ctx.fillStyle = TONES[scheme][tone].border;
    ctx.fillRect(left, bbox.top, LEAST_WIDTH, bbox.height);
  }
  ctx.restore();
}

/** Hatches the times without a reading, so that a silent device differs from one that measured nothing remarkable. */
function drawGaps({ ctx, bbox, valToPos }: UPlot, gaps: readonly Span[], scheme: Scheme): void {
  ctx.save();
  ctx.beginPath();
  ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
  ctx.clip();
  ctx.strokeStyle = GROUND[scheme].line;
  ctx.lineWidth = 1;
  for (const { from, to } of gaps) {
    const [left, right] = [valToPos(from / 1000, "x", true), valToPos(to / 1000, "x", true)];
    hatch(ctx, {
      left: Math.max(left, bbox.left),
      right: Math.min(right, bbox.left + bbox.width),
      ...verticalOf(bbox),
    });
  }
  ctx.restore();
}

const verticalOf = ({ top, height }: UPlot.BBox) => ({ top, bottom: top + height });

/** The pixels between two lines of a hatching. */
const HATCH = 9;

function hatch(
  ctx: CanvasRenderingContext2D,
  { left, right, top, bottom }: Record<"left" | "right" | "top" | "bottom", number>,
): void {
  if (right <= left) return;
  ctx.save();
  ctx.beginPath();
  ctx.rect(left, top, right - left, bottom - top);
  ctx.clip();
  ctx.beginPath();
  const height = bottom - top;
  // Lines at multiples of the distance continue those of neighbours.
  for (let x = Math.floor((left - height) / HATCH) * HATCH; x < right; x += HATCH) {
    ctx.moveTo(x, bottom);
    ctx.lineTo(x + height, top);
  }
  ctx.stroke();
  ctx.restore();
}

function drawLimits({ ctx, bbox, valToPos }: UPlot, limits: readonly Limit[], scheme: Scheme): void {
  ctx.save();
  ctx.lineWidth = 1.5;
  ctx.setLineDash(DASH);
  for (const { value, tone } of limits) {
    ctx.strokeStyle = TONES[scheme][tone].text;
    const top = valToPos(value, "y", true);
    ctx.beginPath();
    ctx.moveTo(bbox.left, top);
    ctx.lineTo(bbox.left + bbox.width, top);
    ctx.stroke();
  }
  ctx.restore();
}

/** Returns the ends of the axis, around all values and all limits; 0 and 1 without any. */
function heights(limits: readonly Limit[], least: number | null, most: number | null): [least: number, most: number] {
  const all = [least, most, ...limits.map(({ value }) => value)].filter(
    (each) => each !== null && Number.isFinite(each),
  ) as number[];
  if (all.length === 0) return [0, 1];
  const [low, high] = UPlot.rangeNum(Math.min(...all), Math.max(...all), 0.1, true);
  return [low ?? 0, high ?? 1];
}
