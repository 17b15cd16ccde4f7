import type { PreparedMessage, TimedReading } from "../ingest/batch.ts";
import { type StoredKind, storedKindOf, storedNumberOf } from "../stored-value.ts";

/**
 * What is stored of the latest values of a device, metric by metric in the order in which it first sent them; texts are in the database alone.
 * Times are microseconds since 1970.
 */
export class DeviceLatest {
  readonly metrics: string[] = [];
  readonly kinds: StoredKind[] = [];
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
  set(
    metric: string,
    kind: StoredKind,
    at: { number: number; time: number; receivedAt: number; replaced: boolean },
  ): number {
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
  /** The places of the metrics that have a new value, and whether each is among them. */
  changed: number[];
  isChanged: boolean[];
  /** The places among them of which the type has changed, and of metrics that were added. */
  reshaped: number[];
  /** The new texts by place, if there are any. */
  texts: Map<number, string> | undefined;
}

/** Whether the batch stores values; otherwise the device has only been seen. */
export function isWritten({ latest, changed }: LatestChange): boolean {
  return changed.length > 0 || latest.version === 0;
}

/** Takes over the readings of a message that are as new as the latest one of their metric, or newer. */
export function applyMessage(change: LatestChange, { readings, receivedAt, evaluated }: PreparedMessage): void {
  // Of a message in parts that share a metric, the last one has its latest value.
  if (evaluated?.length === 0) return;
  for (const reading of readings) {
    for (let index = 0; index < reading.metrics.length; index++) applyValue(change, reading, index, receivedAt);
  }
}

function applyValue(change: LatestChange, reading: TimedReading, index: number, receivedAt: number): void {
  const { latest } = change;
  const { time, timeReplaced: replaced } = reading;
  const metric = reading.metrics[index]!;
  const known = latest.placeOf(metric);
  if (known !== undefined && time < latest.times[known]!) return;
  const value = reading.values[index]!;
  const kind = storedKindOf(value);
  const isReshaped = known === undefined || latest.kinds[known] !== kind;
  const place = latest.set(metric, kind, { number: storedNumberOf(value), time, receivedAt, replaced });
  if (!change.isChanged[place]) {
    change.isChanged[place] = true;
    change.changed.push(place);
  }
  if (isReshaped) change.reshaped.push(place);
  if (kind === "t") {
    change.texts ??= new Map();
    change.texts.set(place, value as string);
  } else change.texts?.delete(place);
}
