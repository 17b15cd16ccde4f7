import UPlot from "uplot";
import { GROUND, type Scheme, TONES, type Tone } from "../theme/tones.ts";
import type { Span } from "./gaps.ts";
import type { Limit } from "./limits.ts";

/** A time that is shaded, such as that of an anomaly. */
export interface Band extends Span {
  tone: Tone;
}

/** Pixels; a short time is still seen. */
const LEAST_WIDTH = 3;
const DASH = [6, 4];

/** Shades the bands, behind the lines. */
export function drawBands({ ctx, bbox, valToPos }: UPlot, bands: readonly Band[], scheme: Scheme): void {
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

/** Hatches the times without a reading: a device that was silent differs from one that measured nothing remarkable. */
export function drawGaps({ ctx, bbox, valToPos }: UPlot, gaps: readonly Span[], scheme: Scheme): void {
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

/** Pixels between two lines of a hatching. */
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
  // At multiples of the distance, so that the lines of neighbours continue each other.
  for (let x = Math.floor((left - height) / HATCH) * HATCH; x < right; x += HATCH) {
    ctx.moveTo(x, bottom);
    ctx.lineTo(x + height, top);
  }
  ctx.stroke();
  ctx.restore();
}

/** A dashed line for each limit. */
export function drawLimits({ ctx, bbox, valToPos }: UPlot, limits: readonly Limit[], scheme: Scheme): void {
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

/** The ends of the axis: around all values and all limits. Without any they are 0 and 1. */
export function heights(
  limits: readonly Limit[],
  least: number | null,
  most: number | null,
): [least: number, most: number] {
  const all = [least, most, ...limits.map(({ value }) => value)].filter(
    (each) => each !== null && Number.isFinite(each),
  ) as number[];
  if (all.length === 0) return [0, 1];
  const [low, high] = UPlot.rangeNum(Math.min(...all), Math.max(...all), 0.1, true);
  return [low ?? 0, high ?? 1];
}
