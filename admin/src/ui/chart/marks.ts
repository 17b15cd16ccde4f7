import UPlot from "uplot";
import { type Scheme, TONES, type Tone } from "../theme/tones.ts";

/** A time that is shaded, such as that of an anomaly. Milliseconds. */
export interface Band {
  from: number;
  to: number;
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

/** A dashed line for each limit. */
export function drawLimits({ ctx, bbox, valToPos }: UPlot, limits: readonly number[], colour: string): void {
  ctx.save();
  ctx.strokeStyle = colour;
  ctx.lineWidth = 1.5;
  ctx.setLineDash(DASH);
  for (const limit of limits) {
    const top = valToPos(limit, "y", true);
    ctx.beginPath();
    ctx.moveTo(bbox.left, top);
    ctx.lineTo(bbox.left + bbox.width, top);
    ctx.stroke();
  }
  ctx.restore();
}

/** The ends of the axis: around all values and all limits. Without any they are 0 and 1. */
export function heights(
  limits: readonly number[],
  least: number | null,
  most: number | null,
): [least: number, most: number] {
  const all = [least, most, ...limits].filter((each) => each !== null && Number.isFinite(each)) as number[];
  if (all.length === 0) return [0, 1];
  const [low, high] = UPlot.rangeNum(Math.min(...all), Math.max(...all), 0.1, true);
  return [low ?? 0, high ?? 1];
}
