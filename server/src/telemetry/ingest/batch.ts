import type { MetricValue, Reading } from "../reading.ts";
import type { Rejection } from "./rejection.ts";

/** A message without readings that is stored with the reason. Times are microseconds since 1970. */
export interface RejectedMessage extends Rejection {
  deviceUid: string;
  topic: string;
  /** Its start, when it is long. */
  payload: Uint8Array;
  /** Of the whole payload. */
  payloadBytes: number;
  at: number;
}

/** A reading whose time is final. */
export type TimedReading = Reading & { time: number };

/** A parsed message, or a part of one: its readings, or why it was rejected. */
export interface PreparedMessage {
  tenantId: string;
  deviceUid: string;
  /** When the message arrived, microseconds since 1970. */
  receivedAt: number;
  readings: TimedReading[];
  /**
   * What the rules evaluate when these readings are stored, where that is something else: earlier parts of a metric have none and leave
   * its latest value as it is, the last one has the readings of all of them.
   */
  evaluated?: readonly TimedReading[];
  rejected: RejectedMessage | undefined;
}

/** The rows of a batch, column by column; one index is one row, and no two rows share device, metric and time. */
export interface TelemetryColumns {
  deviceUids: string[];
  metrics: string[];
  times: number[];
  values: MetricValue[];
  receivedAt: number[];
  timeReplaced: boolean[];
  /** The newest row of its device and metric in this batch: the one that may become the latest value. */
  newest: boolean[];
}

/** The rows of one device and metric, by their index: the first, the newest of those that may be it, and all once there are several. */
interface Series {
  first: number;
  newest: number | undefined;
  byTime: Map<number, number> | undefined;
}

/**
 * Converts messages to rows in order of their devices: processes that store the same devices then lock rows in the same order, which
 * prevents deadlocks. Of two readings of one metric with the same time the later message's wins, as it would in separate batches: one
 * statement cannot change a row twice.
 */
export function toColumns(messages: readonly PreparedMessage[]): TelemetryColumns {
  const columns: TelemetryColumns = {
    deviceUids: [],
    metrics: [],
    times: [],
    values: [],
    receivedAt: [],
    timeReplaced: [],
    newest: [],
  };
  const series = new Map<string, Series>();
  for (const message of messages.toSorted(byDevice)) {
    for (const reading of message.readings) {
      for (let index = 0; index < reading.metrics.length; index++) {
        addRow(columns, series, message, reading, index);
      }
    }
  }
  return columns;
}

/** The order of rows, in which processes lock them. */
export function byDevice(a: PreparedMessage, b: PreparedMessage): number {
  return a.deviceUid < b.deviceUid ? -1 : a.deviceUid > b.deviceUid ? 1 : 0;
}

function addRow(
  columns: TelemetryColumns,
  series: Map<string, Series>,
  message: PreparedMessage,
  reading: TimedReading,
  index: number,
): void {
  const metric = reading.metrics[index]!;
  const of = seriesOf(series, message.deviceUid + metric, columns.times.length);
  const row = rowAt(columns, of, reading.time);
  columns.deviceUids[row] = message.deviceUid;
  columns.metrics[row] = metric;
  columns.times[row] = reading.time;
  columns.values[row] = reading.values[index]!;
  columns.receivedAt[row] = message.receivedAt;
  columns.timeReplaced[row] = reading.timeReplaced;
  columns.newest[row] ??= false;
  if (message.evaluated?.length !== 0) takeNewest(columns, of, row);
}

function seriesOf(series: Map<string, Series>, key: string, first: number): Series {
  let known = series.get(key);
  if (known === undefined) {
    known = { first, newest: undefined, byTime: undefined };
    series.set(key, known);
  }
  return known;
}

/** The index of the series' row of this time, or of one to add. */
function rowAt({ times }: TelemetryColumns, series: Series, time: number): number {
  const added = times.length;
  if (series.first === added) return added;
  series.byTime ??= new Map([[times[series.first]!, series.first]]);
  const existing = series.byTime.get(time);
  if (existing !== undefined) return existing;
  series.byTime.set(time, added);
  return added;
}

/** Makes `row` the newest of its series if it is. */
function takeNewest({ times, newest }: TelemetryColumns, series: Series, row: number): void {
  if (series.newest !== undefined) {
    if (times[row]! <= times[series.newest]!) return;
    newest[series.newest] = false;
  }
  newest[row] = true;
  series.newest = row;
}
