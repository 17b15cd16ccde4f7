import { sql } from "kysely";
import type { Db } from "../../db/database.ts";
import { type BoundStatement, type NoParameters, type Parameters, statement } from "../../db/statement.ts";
import { changeLatest } from "../latest/change-latest-store.ts";
import type { LatestChange } from "../latest/device-latest.ts";
import { type LatestValues, latestValues } from "../latest/latest-values-store.ts";
import type { MessageRow } from "../messages/message-rows.ts";
import { insertMessages, type MessageValues, messageValues, replaceMessages } from "../messages/message-store.ts";
import type { RowRetention } from "../partitions/partition-targets.ts";
import { type DirtyHourValues, dirtyHourValues, insertDirtyHours } from "../roll-up/dirty-hour-store.ts";
import type { DirtyHours } from "../roll-up/dirty-hours.ts";

/** What one statement stores of a batch. `retention` has an entry a row, or is empty. */
export interface StoredBatch {
  rows: readonly MessageRow[];
  latest: readonly LatestChange[];
  retention: readonly RowRetention[];
  dirtyHours: DirtyHours;
  nowMs: number;
}

type BatchValues = MessageValues & LatestValues & DirtyHourValues;

const insertRows = (p: Parameters<BatchValues>) => sql`
WITH ${changeLatest(p)}, dirty AS (
  ${insertDirtyHours(p)}
)${insertMessages(p)}`;

const insertBatch = statement<BatchValues, object>("store-telemetry", insertRows);

const insertOrReplace = statement<BatchValues, object>(
  "store-telemetry-again",
  (p) => sql`${insertRows(p)}${replaceMessages}`,
);

/**
 * Stores the rows, what changes of their devices, and the hours to roll up again.
 *
 * @param replaces whether rows that are stored already are replaced: that writes a record more a row. Otherwise one of them fails
 *   the batch (`isRepeated`).
 */
export function storeReadings(batch: StoredBatch, replaces: boolean): BoundStatement {
  const { rows, latest, retention, dirtyHours, nowMs } = batch;
  return (replaces ? insertOrReplace : insertBatch).with({
    ...messageValues(rows, retention),
    ...latestValues(latest),
    ...dirtyHourValues(dirtyHours, nowMs),
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
      await sql`LOCK TABLE telemetry_messages, device_latest, roll_up_marks IN ROW EXCLUSIVE MODE NOWAIT`.execute(tx);
    });
    return true;
  } catch (error) {
    if ((error as { code?: unknown }).code === LOCK_NOT_AVAILABLE) return false;
    throw error;
  }
}
