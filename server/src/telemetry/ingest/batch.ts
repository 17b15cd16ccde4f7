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

/** A parsed message: its readings, or why it was rejected. */
export interface PreparedMessage {
  tenantId: string;
  deviceUid: string;
  /** When the message arrived, microseconds since 1970. */
  receivedAt: number;
  /** Each with a final time. */
  readings: (Reading & { time: number })[];
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

/** The rows of one device and metric: the index of the newest one, and all of them once there are several. */
interface Series {
  newest: number;
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

function byDevice(a: PreparedMessage, b: PreparedMessage): number {
  return a.deviceUid < b.deviceUid ? -1 : a.deviceUid > b.deviceUid ? 1 : 0;
}

function addRow(
  columns: TelemetryColumns,
  series: Map<string, Series>,
  message: PreparedMessage,
  reading: PreparedMessage["readings"][number],
  index: number,
): void {
  const metric = reading.metrics[index]!;
  const row = rowFor(columns, series, message.deviceUid, metric, reading.time);
  columns.deviceUids[row] = message.deviceUid;
  columns.metrics[row] = metric;
  columns.times[row] = reading.time;
  columns.values[row] = reading.values[index]!;
  columns.receivedAt[row] = message.receivedAt;
  columns.timeReplaced[row] = reading.timeReplaced;
}

/** The index of the row of (device, metric, time), which is added unless it exists. Updates which row of the series is the newest. */
function rowFor(
  { times, newest }: TelemetryColumns,
  series: Map<string, Series>,
  deviceUid: string,
  metric: string,
  time: number,
): number {
  const added = times.length;
  const known = series.get(deviceUid + metric);
  if (known === undefined) {
    series.set(deviceUid + metric, { newest: added, byTime: undefined });
    newest.push(true);
    return added;
  }
  known.byTime ??= new Map([[times[known.newest]!, known.newest]]);
  const existing = known.byTime.get(time);
  if (existing !== undefined) return existing;
  known.byTime.set(time, added);
  const isNewest = time > times[known.newest]!;
  newest.push(isNewest);
  if (isNewest) {
    newest[known.newest] = false;
    known.newest = added;
  }
  return added;
}
