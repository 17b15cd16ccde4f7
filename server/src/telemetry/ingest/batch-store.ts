import { sql } from "kysely";
import { plainArray, textArray } from "../../db/array-literal.ts";
import type { Db, Tx } from "../../db/database.ts";
import { refusalCode, refuse } from "../../db/refusal.ts";
import { type BoundStatement, type NoParameters, runStatement, statement } from "../../db/statement.ts";
import { updateLastSeen } from "../../devices/devices.ts";
import { DEFAULT_RETENTION_DAYS } from "../partitions/partition-store.ts";
import type { RowRetention } from "../partitions/partition-targets.ts";
import { type DirtyHourValues, dirtyHourValues, insertDirtyHours } from "../roll-up/dirty-hour-store.ts";
import type { DirtyHours } from "../roll-up/dirty-hours.ts";
import type { TelemetryColumns } from "./batch.ts";
import type { LastSeen } from "./last-seen-throttle.ts";

/** What one statement stores of a batch. `retention` and `follows` have an entry a row, or are empty. */
export interface StoredBatch {
  columns: TelemetryColumns;
  lastSeen: LastSeen;
  /** Optimistic lock: see `BatchEvaluation.follows`. */
  follows: readonly (number | undefined)[];
  retention: readonly RowRetention[];
  dirtyHours: DirtyHours;
  nowMs: number;
}

/** The code that aborts a batch whose rules were evaluated after another reading than the newest one. */
const NEWEST_CHANGED = "newest_reading_changed";

/** Array literals, one entry a row. An empty one stands for a column that is NULL in every row. */
interface RowValues {
  deviceUids: string;
  metrics: string;
  times: string;
  numbers: string;
  flags: string;
  texts: string;
  receivedAt: string;
  timeReplaced: string;
  newest: string;
  follows: string;
  retention: string;
}

interface LastSeenValues {
  seenUids: string;
  seenTimes: string;
}

/** `unnest` pads the shorter arrays with NULL. Times are microseconds since 1970, which a double holds exactly. */
const insertBatch = statement<RowValues & LastSeenValues & DirtyHourValues, object>(
  "store-telemetry",
  (p) => sql`
WITH rows AS MATERIALIZED (
  SELECT device_uid, metric, to_timestamp(time / 1e6) AS ts, number, flag, text,
         to_timestamp(coalesce(received, time) / 1e6) AS received_at, coalesce(replaced, false) AS time_replaced,
         coalesce(newest, true) AS newest, to_timestamp(follows / 1e6) AS follows,
         coalesce(retention, ${sql.lit(DEFAULT_RETENTION_DAYS)}) AS retention_days
    FROM unnest(${p.deviceUids}::text::uuid[], ${p.metrics}::text::text[], ${p.times}::text::float8[],
                ${p.numbers}::text::float8[], ${p.flags}::text::boolean[], ${p.texts}::text::text[],
                ${p.receivedAt}::text::float8[], ${p.timeReplaced}::text::boolean[], ${p.newest}::text::boolean[],
                ${p.follows}::text::float8[], ${p.retention}::text::smallint[])
         AS u (device_uid, metric, time, number, flag, text, received, replaced, newest, follows, retention)
), latest AS (
  INSERT INTO telemetry_latest AS l (device_uid, metric, ts, number, flag, text, received_at, time_replaced, follows)
  SELECT device_uid, metric, ts, number, flag, text, received_at, time_replaced, follows FROM rows WHERE newest
  ON CONFLICT (device_uid, metric) DO UPDATE
     SET ts = excluded.ts, number = excluded.number, flag = excluded.flag, text = excluded.text,
         received_at = excluded.received_at, time_replaced = excluded.time_replaced
   WHERE CASE WHEN excluded.follows IS NULL OR excluded.follows = l.ts THEN excluded.ts >= l.ts
              ELSE ${refuse(NEWEST_CHANGED)} END
), seen AS (
  ${updateLastSeen(p.seenUids, p.seenTimes)}
), dirty AS (
  ${insertDirtyHours(p)}
)
INSERT INTO telemetry AS t (device_uid, metric, ts, number, flag, text, received_at, time_replaced, retention_days)
SELECT device_uid, metric, ts, number, flag, text, received_at, time_replaced, retention_days
  FROM rows WHERE retention_days > 0
ON CONFLICT (device_uid, metric, ts, retention_days) DO UPDATE
   SET number = excluded.number, flag = excluded.flag, text = excluded.text,
       received_at = excluded.received_at, time_replaced = excluded.time_replaced`,
);

/** Stores the rows, their latest values, `last_seen_at` of the devices and the hours to roll up again. */
export function storeReadings(batch: StoredBatch): BoundStatement {
  const { columns, lastSeen, follows, retention, dirtyHours, nowMs } = batch;
  const { deviceUids, metrics, times, values, receivedAt, timeReplaced, newest } = columns;
  return insertBatch.with({
    deviceUids: plainArray(deviceUids),
    metrics: textArray(metrics),
    times: plainArray(times),
    numbers: sparse(values.map((value) => (typeof value === "number" ? value : undefined))),
    flags: sparse(values.map((value) => (typeof value === "boolean" ? value : undefined))),
    texts: sparseText(values.map((value) => (typeof value === "string" ? value : undefined))),
    receivedAt: sparse(receivedAt.map((at, row) => (at === times[row] ? undefined : at))),
    timeReplaced: sparse(timeReplaced.map((replaced) => replaced || undefined)),
    newest: sparse(newest.map((is) => (is ? undefined : false))),
    follows: sparse(follows),
    retention: sparse(retention),
    seenUids: plainArray([...lastSeen.keys()]),
    seenTimes: plainArray([...lastSeen.values()]),
    ...dirtyHourValues(dirtyHours, nowMs),
  });
}

/** Whether the optimistic lock failed: another process stored a newer reading after the rules were evaluated. */
export function isEvaluationConflict(error: unknown): boolean {
  return refusalCode(error) === NEWEST_CHANGED;
}

const lockRows = statement<{ deviceUids: string; metrics: string }, object>(
  "lock-latest",
  (p) => sql`
  SELECT FROM telemetry_latest l
   WHERE l.device_uid = ANY (${p.deviceUids}::text::uuid[]) AND l.metric = ANY (${p.metrics}::text::text[])
   ORDER BY l.device_uid, l.metric FOR UPDATE`,
);

/** Locks the latest values of these devices and metrics: no other process stores newer ones until `tx` ends. */
export async function lockLatest(tx: Tx, { deviceUids, metrics }: TelemetryColumns): Promise<void> {
  await runStatement(tx, lockRows, {
    deviceUids: plainArray([...new Set(deviceUids)]),
    metrics: textArray([...new Set(metrics)]),
  });
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
      await sql`LOCK TABLE telemetry, telemetry_latest, roll_up_marks IN ROW EXCLUSIVE MODE NOWAIT`.execute(tx);
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
