import type { PreparedMessage, TimedReading } from "../message.ts";
import { type StoredKind, storedKindOf, storedNumberOf } from "../stored-value.ts";

/**
 * The stored latest values of a device, by metric in the order in which it first sent them. Texts are only in the
 * database. Times are microseconds since 1970.
 */
export class DeviceLatest {
  readonly metrics: string[] = [];
  readonly kinds: StoredKind[] = [];
  readonly times: number[] = [];
  readonly receivedAt: number[] = [];
  readonly replaced: boolean[] = [];
  /** 1 and 0 for true and false, 0 for a text. */
  readonly numbers: number[] = [];
  /** The number of stored batches; 0 means that the device has no row. */
  version = 0;
  /** The size by which the cache counts it. */
  units = 1;
  readonly #places = new Map<string, number>();

  placeOf(metric: string): number | undefined {
    return this.#places.get(metric);
  }

  /** Adds or replaces a metric. @returns its place */
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

/** A batch's changes to the latest values of a device. */
export interface LatestChange {
  deviceUid: string;
  /** The state after the batch, except for the version, which is the one before it. */
  latest: DeviceLatest;
  /** The time of its last message. */
  seenAt: number;
  /** The number of metrics before the batch. */
  metricsBefore: number;
  /** The places of the metrics with a new value, and whether each place is among them. */
  changed: number[];
  isChanged: boolean[];
  /** The places among them that have changed type or are new. */
  reshaped: number[];
  /** The new texts by place, if any. */
  texts: Map<number, string> | undefined;
}

/** Checks whether the batch stores values. Otherwise the device has only been seen. */
export function isWritten({ latest, changed }: LatestChange): boolean {
  return changed.length > 0 || latest.version === 0;
}

/** Applies the readings of a message that are at least as new as the latest one of their metric. */
export function applyMessage(change: LatestChange, { readings, receivedAt, evaluated }: PreparedMessage): void {
  // When the parts of a message share a metric, the last part contains its latest value.
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
