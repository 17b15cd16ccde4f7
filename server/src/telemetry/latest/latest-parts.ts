import { type DeviceLatest, isWritten, type LatestChange } from "./device-latest.ts";

/**
 * Metrics of a row of `device_latest`: all of most devices. Of one with many a message writes the rows that have its metrics, and the first one,
 * which has the version.
 */
const METRICS_OF_PART = 32;

/** What a batch changes of one row. Places are those of the device. */
export interface PartChange {
  change: LatestChange;
  /** The number of the row. */
  part: number;
  /** Its places are [from, to). */
  from: number;
  to: number;
  isNew: boolean;
  /** Places that have a new value. */
  changed: readonly number[];
  /** The names and types are to be written. */
  isReshaped: boolean;
}

/** The rows to write, by device and part, the first row of each device among them. */
export function partsOf(changes: readonly LatestChange[]): PartChange[] {
  const parts: PartChange[] = [];
  for (const change of changes) {
    if (!isWritten(change)) continue;
    if (change.latest.metrics.length <= METRICS_OF_PART) parts.push(partOf(change, 0, change.changed, change.reshaped));
    else parts.push(...severalParts(change));
  }
  return parts;
}

function severalParts(change: LatestChange): PartChange[] {
  const changed = byPart(change.changed);
  const reshaped = byPart(change.reshaped);
  const numbers = [...new Set([0, ...changed.keys()])].sort((a, b) => a - b);
  return numbers.map((part) => partOf(change, part, changed.get(part) ?? [], reshaped.get(part) ?? []));
}

function byPart(places: readonly number[]): Map<number, number[]> {
  return Map.groupBy(places, (place) => Math.floor(place / METRICS_OF_PART));
}

function partOf(
  change: LatestChange,
  part: number,
  changed: readonly number[],
  reshaped: readonly number[],
): PartChange {
  const { latest, metricsBefore } = change;
  const from = part * METRICS_OF_PART;
  const to = Math.min(from + METRICS_OF_PART, latest.metrics.length);
  const isNew = part === 0 ? latest.version === 0 : from >= metricsBefore;
  return { change, part, from, to, isNew, changed, isReshaped: isNew || reshaped.length > 0 };
}

/** Whether the row has no new value: only its version changes. */
export function isUntouched({ isNew, changed }: PartChange): boolean {
  return !isNew && changed.length === 0;
}

/** The values of the metrics of a row. */
export function valuesOf<K extends "metrics" | "kinds" | "replaced" | "numbers" | "times" | "receivedAt">(
  { change, from, to }: PartChange,
  name: K,
): DeviceLatest[K] {
  const values = change.latest[name];
  return (from === 0 && to === values.length ? values : values.slice(from, to)) as DeviceLatest[K];
}
