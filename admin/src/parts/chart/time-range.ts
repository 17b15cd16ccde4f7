import { t } from "#texts/parts.ts";
import type { Span } from "../../ui/chart/gaps.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** A range that ends now. */
export interface Preset {
  /** The name in the address. */
  name: string;
  label: string;
  ms: number;
}

/** The preset that follows the device as it publishes. */
export const LIVE: Preset = { name: "live", label: t.live, ms: 10 * MINUTE_MS };

/** The presets for charts of a device; the first follows it. */
export const PRESETS: readonly Preset[] = [
  LIVE,
  { name: "1h", label: "1 h", ms: HOUR_MS },
  { name: "24h", label: "24 h", ms: DAY_MS },
  { name: "7d", label: t.shortDays("7"), ms: 7 * DAY_MS },
  { name: "30d", label: t.shortDays("30"), ms: 30 * DAY_MS },
  { name: "1y", label: t.shortYear, ms: 365 * DAY_MS },
];

/** The shortest and the longest range of a chart: hours are stored ten times as long as readings. */
const LEAST_MS = 10_000;
const MOST_MS = 20 * 365 * DAY_MS;

/**
 * Returns the range between two instants of an address or of two fields; undefined if they are no times, or in the
 * wrong order.
 */
export function spanOf({ from, to }: { from?: string | undefined; to?: string | undefined }): Span | undefined {
  const span = { from: Date.parse(from ?? ""), to: Date.parse(to ?? "") };
  const length = span.to - span.from;
  return length > 0 && length <= MOST_MS ? span : undefined;
}

/** Returns a range for an address; it means the same in every time zone. */
export function addressOf({ from, to }: Span): { from: string; to: string } {
  return { from: new Date(from).toISOString(), to: new Date(to).toISOString() };
}

/** Returns the range around the same middle, `factor` times as long, ending now at the latest. */
export function zoomedBy({ from, to }: Span, factor: number, now: number): Span {
  const length = Math.min(MOST_MS, Math.max(LEAST_MS, (to - from) * factor));
  const middle = (from + to) / 2;
  return endingBy({ from: Math.round(middle - length / 2), to: Math.round(middle + length / 2) }, now);
}

/** Returns the range half its length earlier (`-1`) or later (`1`), ending now at the latest. */
export function shiftedBy({ from, to }: Span, direction: -1 | 1, now: number): Span {
  const step = Math.round(((to - from) / 2) * direction);
  return endingBy({ from: from + step, to: to + step }, now);
}

/** Returns the dragged range, extended to the shortest range of a chart. */
export function atLeast(span: Span, now: number): Span {
  return span.to - span.from >= LEAST_MS ? span : zoomedBy(span, 1, now);
}

function endingBy(span: Span, now: number): Span {
  const ahead = Math.max(0, span.to - now);
  return { from: span.from - ahead, to: span.to - ahead };
}
