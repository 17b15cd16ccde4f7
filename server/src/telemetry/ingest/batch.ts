import type { MetricValue, Reading } from "../reading.ts";

/** A message that could not be read, as it is kept. Times are microseconds since 1970. */
export interface RejectedMessage {
  deviceUid: string;
  topic: string;
  reason: string;
  payload: Uint8Array;
  at: number;
}

/** What one message brings: readings whose times are settled, or the reason it has none. */
export interface PreparedMessage {
  tenantId: string;
  deviceUid: string;
  /** When it arrived, microseconds since 1970. */
  receivedAt: number;
  /** Each with a time. */
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

/** Rows of one device and metric seen so far: the newest one's index, and all of them once there are several. */
interface Series {
  newest: number;
  byTime: Map<number, number> | undefined;
}

/**
 * Lays messages out as rows, device by device: processes that store the same devices at once then lock their rows in
 * the same order. Of two readings of one metric at one instant the later message's stays, as it would had they come in
 * batches of their own (one statement cannot touch a row twice).
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

/** The row of (device, metric, time): the one there is, or a new one, marked when it is the newest of its series. */
function rowFor(
  { times, newest }: TelemetryColumns,
  series: Map<string, Series>,
  deviceUid: string,
  metric: string,
  time: number,
): number {
  const fresh = times.length;
  const known = series.get(deviceUid + metric);
  if (known === undefined) {
    series.set(deviceUid + metric, { newest: fresh, byTime: undefined });
    newest.push(true);
    return fresh;
  }
  known.byTime ??= new Map([[times[known.newest]!, known.newest]]);
  const taken = known.byTime.get(time);
  if (taken !== undefined) return taken;
  known.byTime.set(time, fresh);
  const isNewest = time > times[known.newest]!;
  newest.push(isNewest);
  if (isNewest) {
    newest[known.newest] = false;
    known.newest = fresh;
  }
  return fresh;
}
