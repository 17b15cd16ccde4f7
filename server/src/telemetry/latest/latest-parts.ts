import { type DeviceLatest, isWritten, type LatestChange } from "./device-latest.ts";

/**
 * The number of metrics per row of `device_latest`; most devices fit into one row. For larger devices, a message writes
 * only the rows that contain its metrics, and the first one, which contains the version.
 */
const METRICS_OF_PART = 32;

/** A batch's changes to one row. Places count within the device. */
export interface PartChange {
  change: LatestChange;
  /** The number of the row. */
  part: number;
  /** The row contains the places [from, to). */
  from: number;
  to: number;
  isNew: boolean;
  /** The places with a new value. */
  changed: readonly number[];
  /** Whether the names and types must be written. */
  isReshaped: boolean;
}

/** Returns the rows to write, by device and part, always including the first row of a device. */
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

/** Checks whether the row has no new value, so that only its version changes. */
export function isUntouched({ isNew, changed }: PartChange): boolean {
  return !isNew && changed.length === 0;
}

/** Returns the values of a row's metrics. */
export function valuesOf<K extends "metrics" | "kinds" | "replaced" | "numbers" | "times" | "receivedAt">(
  { change, from, to }: PartChange,
  name: K,
): DeviceLatest[K] {
  const values = change.latest[name];
  return (from === 0 && to === values.length ? values : values.slice(from, to)) as DeviceLatest[K];
}
