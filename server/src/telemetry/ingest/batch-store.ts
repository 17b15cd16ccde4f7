import { sql } from "kysely";
import { plainArray, textArray } from "../../db/array-literal.ts";
import { float8Array, timestampArray, uuidArray } from "../../db/binary-array.ts";
import type { Db } from "../../db/database.ts";
import { violatedUnique } from "../../db/refusal.ts";
import { type BoundStatement, type NoParameters, type Parameters, statement } from "../../db/statement.ts";
import { changeLatest } from "../latest/change-latest-store.ts";
import type { LatestChange } from "../latest/device-latest.ts";
import { type LatestValues, latestValues } from "../latest/latest-values-store.ts";
import { DEFAULT_RETENTION_DAYS } from "../partitions/partition-store.ts";
import type { RowRetention } from "../partitions/partition-targets.ts";
import { type DirtyHourValues, dirtyHourValues, insertDirtyHours } from "../roll-up/dirty-hour-store.ts";
import type { DirtyHours } from "../roll-up/dirty-hours.ts";
import type { TelemetryColumns } from "./batch.ts";

/** What one statement stores of a batch. `retention` has an entry a row, or is empty. */
export interface StoredBatch {
  columns: TelemetryColumns;
  latest: readonly LatestChange[];
  retention: readonly RowRetention[];
  dirtyHours: DirtyHours;
  nowMs: number;
}

/** Arrays, binary or as literals, one entry a row. An empty one stands for a column that is NULL in every row. */
interface RowValues {
  deviceUids: Buffer;
  metrics: string;
  rowTimes: Buffer;
  values: Buffer;
  flags: string;
  rowTexts: string;
  receivedAt: Buffer;
  timeReplaced: string;
  retention: string;
}

type BatchValues = RowValues & LatestValues & DirtyHourValues;

/** `unnest` pads the shorter arrays with NULL. */
const insertRows = (p: Parameters<BatchValues>) => sql`
WITH ${changeLatest(p)}, dirty AS (
  ${insertDirtyHours(p)}
)
INSERT INTO telemetry AS t (device_uid, metric, ts, number, flag, text, received_at, time_replaced, retention_days)
SELECT device_uid, metric, ts, number, flag, text, coalesce(received_at, ts), coalesce(replaced, false),
       coalesce(retention, ${sql.lit(DEFAULT_RETENTION_DAYS)})
  FROM unnest(${p.deviceUids}::uuid[], ${p.metrics}::text[], ${p.rowTimes}::timestamptz[], ${p.values}::float8[],
              ${p.flags}::boolean[], ${p.rowTexts}::text[], ${p.receivedAt}::timestamptz[], ${p.timeReplaced}::boolean[],
              ${p.retention}::smallint[])
       AS u (device_uid, metric, ts, number, flag, text, received_at, replaced, retention)
 WHERE coalesce(retention, 1) > 0`;

const insertBatch = statement<BatchValues, object>("store-telemetry", insertRows);

const insertOrReplace = statement<BatchValues, object>(
  "store-telemetry-again",
  (p) => sql`${insertRows(p)}
ON CONFLICT (device_uid, metric, ts, retention_days) DO UPDATE
   SET number = excluded.number, flag = excluded.flag, text = excluded.text,
       received_at = excluded.received_at, time_replaced = excluded.time_replaced`,
);

/**
 * Stores the rows, what changes of their devices, and the hours to roll up again.
 *
 * @param replaces whether readings that are stored already are replaced: that writes a record more a row. Otherwise one of them fails
 *   the batch ({@link isRepeated}).
 */
export function storeReadings(batch: StoredBatch, replaces: boolean): BoundStatement {
  const { columns, latest, retention, dirtyHours, nowMs } = batch;
  const { deviceUids, metrics, times, values, receivedAt, timeReplaced } = columns;
  return (replaces ? insertOrReplace : insertBatch).with({
    deviceUids: uuidArray(deviceUids),
    metrics: textArray(metrics),
    rowTimes: timestampArray(times),
    values: float8Array(values.map((value) => (typeof value === "number" ? value : undefined))),
    flags: sparse(values.map((value) => (typeof value === "boolean" ? value : undefined))),
    rowTexts: sparseText(values.map((value) => (typeof value === "string" ? value : undefined))),
    receivedAt: timestampArray(receivedAt.map((at, row) => (at === times[row] ? undefined : at))),
    timeReplaced: sparse(timeReplaced.map((replaced) => replaced || undefined)),
    retention: sparse(retention),
    ...latestValues(latest),
    ...dirtyHourValues(dirtyHours, nowMs),
  });
}

/** Whether a batch has a reading that is stored already. */
export function isRepeated(error: unknown): boolean {
  return /^telemetry_\d+_\d+_pkey$/.test(violatedUnique(error) ?? "");
}

const lockWait = statement<NoParameters, object>(
  "limit-lock-wait",
  () => sql`SELECT set_config('lock_timeout', '250ms', true)`,
);

/** Has the statements behind it in the transaction wait a quarter of a second for a lock, at most. */
export function limitLockWait(): BoundStatement {
  return lockWait.with({});
}

/** SQLSTATE of a lock that was not granted in time. */
export const LOCK_NOT_AVAILABLE = "55P03";

/** Whether telemetry can be stored at all: `false` while a table is locked, for example for a change of the schema. */
export async function canStoreTelemetry(db: Db): Promise<boolean> {
  try {
    await db.transaction().execute(async (tx) => {
      await sql`LOCK TABLE telemetry, device_latest, roll_up_marks IN ROW EXCLUSIVE MODE NOWAIT`.execute(tx);
    });
    return true;
  } catch (error) {
    if ((error as { code?: unknown }).code === LOCK_NOT_AVAILABLE) return false;
    throw error;
  }
}

/** An array literal, empty when every element is NULL. */
function sparse(elements: readonly (number | boolean | undefined)[]): string {
  return elements.every((element) => element === undefined) ? "{}" : plainArray(elements);
}

function sparseText(elements: readonly (string | undefined)[]): string {
  return elements.every((element) => element === undefined) ? "{}" : textArray(elements);
}
