import type { TelemetryColumns } from "../ingest/batch.ts";
import type { MetricValue } from "../reading.ts";

/** The type of a value as it is stored: number, boolean, text. */
type Kind = "n" | "b" | "t";

/**
 * What is stored of the latest values of a device, metric by metric in the order in which it first sent them; texts are in the database alone.
 * Times are microseconds since 1970.
 */
export class DeviceLatest {
  readonly metrics: string[] = [];
  readonly kinds: Kind[] = [];
  readonly times: number[] = [];
  readonly receivedAt: number[] = [];
  readonly replaced: boolean[] = [];
  /** 1 and 0 for true and false; 0 for a text. */
  readonly numbers: number[] = [];
  /** How many batches have been stored; 0: the device has no row. */
  version = 0;
  /** What the cache counts it as. */
  units = 1;
  readonly #places = new Map<string, number>();

  placeOf(metric: string): number | undefined {
    return this.#places.get(metric);
  }

  /** Adds a metric, or replaces what is known of it. @returns its place */
  set(metric: string, kind: Kind, at: { number: number; time: number; receivedAt: number; replaced: boolean }): number {
    let place = this.#places.get(metric);
    if (place === undefined) {
      place = this.metrics.push(metric) - 1;
      this.#places.set(metric, place);
    }
    this.kinds[place] = kind;
    this.numbers[place] = at.number;
    this.times[place] = at.time;
    this.receivedAt[place] = at.receivedAt;
    this.replaced[place] = at.replaced;
    return place;
  }
}

/** What a batch changes of the latest values of a device. */
export interface LatestChange {
  deviceUid: string;
  /** As it is after the batch, but for the version, which is the one before it. */
  latest: DeviceLatest;
  /** When it sent its last message. */
  seenAt: number;
  /** How many metrics it had before the batch. */
  metricsBefore: number;
  /** The places of the metrics that have a new value. */
  changed: number[];
  /** The places among them of which the type has changed, and of metrics that were added. */
  reshaped: number[];
  /** The new texts by place, if there are any. */
  texts: Map<number, string> | undefined;
}

/** Whether the batch stores values; otherwise the device has only been seen. */
export function isWritten({ latest, changed }: LatestChange): boolean {
  return changed.length > 0 || latest.version === 0;
}

/** Takes over the newest row of every metric from the rows [from, to) of the device. A reading older than the latest one changes nothing. */
export function applyRows(change: LatestChange, columns: TelemetryColumns, from: number, to: number): void {
  for (let row = from; row < to; row++) if (columns.newest[row]) applyRow(change, columns, row);
}

function applyRow(change: LatestChange, columns: TelemetryColumns, row: number): void {
  const { latest } = change;
  const metric = columns.metrics[row]!;
  const time = columns.times[row]!;
  const known = latest.placeOf(metric);
  if (known !== undefined && time < latest.times[known]!) return;
  const value = columns.values[row]!;
  const kind = kindOf(value);
  const isReshaped = known === undefined || latest.kinds[known] !== kind;
  const receivedAt = columns.receivedAt[row]!;
  const replaced = columns.timeReplaced[row]!;
  const place = latest.set(metric, kind, { number: numberOf(value), time, receivedAt, replaced });
  change.changed.push(place);
  if (isReshaped) change.reshaped.push(place);
  if (typeof value !== "string") return;
  change.texts ??= new Map();
  change.texts.set(place, value);
}

function kindOf(value: MetricValue): Kind {
  return typeof value === "number" ? "n" : typeof value === "boolean" ? "b" : "t";
}

function numberOf(value: MetricValue): number {
  return typeof value === "string" ? 0 : Number(value);
}
