import { sql } from "kysely";
import type { Db } from "../../db/database.ts";
import { type BoundStatement, type NoParameters, type Parameters, statement } from "../../db/statement.ts";
import { changeLatest } from "../latest/change-latest-store.ts";
import type { LatestChange } from "../latest/device-latest.ts";
import { type LatestValues, latestValues } from "../latest/latest-values-store.ts";
import type { PreparedMessage } from "../message.ts";
import type { MessageRow } from "../messages/message-rows.ts";
import { insertMessages, type MessageValues, messageValues, replaceMessages } from "../messages/message-store.ts";
import { type DirtyHourValues, dirtyHourValues, insertDirtyHours, lockMarks } from "../roll-up/dirty-hour-store.ts";
import { allHours, type DirtyHours } from "../roll-up/dirty-hours.ts";
import type { RowRetention } from "../row-retention.ts";

/** The part of a batch that one statement stores. `retention` has one entry per row, or is empty. */
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
 * Stores the rows, the changes to their devices, and the hours to roll up again.
 *
 * @param replaces whether to replace rows that are already stored, at the cost of one more WAL record per row.
 *   Otherwise such a row fails the batch (`isRepeated`).
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

/** Sets `lock_timeout` to 250 ms for the statements that follow in the transaction. */
export function limitLockWait(): BoundStatement {
  return lockWait.with({});
}

/** The SQLSTATE of a lock that was not granted in time. */
export const LOCK_NOT_AVAILABLE = "55P03";

/**
 * Finds the lock that keeps a message from being stored: on its `hours`, by a process that rolls them up, or on
 * `tables`, for example during a schema change.
 *
 * @returns `undefined` if nothing is locked
 */
export async function findLock(db: Db, message: PreparedMessage): Promise<"hours" | "tables" | undefined> {
  let next: "hours" | "tables" = "tables";
  try {
    return await db.transaction().execute(async (tx) => {
      await sql`LOCK TABLE telemetry_messages, device_latest, roll_up_marks IN ROW EXCLUSIVE MODE NOWAIT`.execute(tx);
      next = "hours";
      return (await lockMarks(tx, hoursOf(message))) ? next : undefined;
    });
  } catch (error) {
    if ((error as { code?: unknown }).code === LOCK_NOT_AVAILABLE) return next;
    throw error;
  }
}

function hoursOf({ deviceUid, readings }: PreparedMessage): DirtyHours {
  return allHours(readings.map(({ time }) => ({ deviceUid, time })));
}
