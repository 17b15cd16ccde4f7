import { sql } from "kysely";
import { plainArray } from "../../db/array-literal.ts";
import type { Db, Tx } from "../../db/database.ts";
import { addMs, HOUR, MINUTE } from "../../lib/clock.ts";

/** By this time the sessions of a deleted device are closed and its messages are stored. */
const FIRST_PASS_MS = MINUTE;
/** The delay of the last pass, which catches messages stored by a process that was cut off from the others. */
const LAST_PASS_MS = HOUR;

/** Enqueues the deletion of a device's telemetry, in the transaction that deletes the device. */
export async function enqueueTelemetryDeletion(tx: Tx, deviceUid: string, now: Date): Promise<void> {
  await tx
    .insertInto("telemetry_deletions")
    .values({ device_uid: deviceUid, due_at: addMs(now, FIRST_PASS_MS) })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** A device whose telemetry is to be deleted. `isLast` marks the last pass. */
export interface Deletion {
  uid: string;
  isLast: boolean;
}

/** Leases up to `limit` due devices until `leasedUntil`. Another process may take over after that. */
export async function leaseDeletions(db: Db, now: Date, leasedUntil: Date, limit: number): Promise<Deletion[]> {
  const { rows } = await sql<Deletion>`
    UPDATE telemetry_deletions t SET due_at = ${leasedUntil}
      FROM (SELECT device_uid FROM telemetry_deletions WHERE due_at <= ${now}
             ORDER BY due_at LIMIT ${limit} FOR UPDATE SKIP LOCKED) d
     WHERE t.device_uid = d.device_uid RETURNING t.device_uid AS uid, t.passes_left = 1 AS "isLast"`.execute(db);
  return rows;
}

/** The end of a process's pass over devices leased until `leasedUntil`. */
export interface EndedPass {
  uids: readonly string[];
  leasedUntil: Date;
  /** Whether to repeat the last pass later, because messages sent before the deletion may still be stored. */
  again: boolean;
}

/** Ends the pass over leased devices, unless the lease has expired and another process has taken over. */
export async function endPass(db: Db, { uids, leasedUntil, again }: EndedPass, now: Date): Promise<void> {
  await sql`
    WITH ended AS (
      DELETE FROM telemetry_deletions
       WHERE device_uid = ANY (${plainArray(uids)}::text::uuid[]) AND due_at = ${leasedUntil} AND passes_left = 1 AND NOT ${again}::boolean)
    UPDATE telemetry_deletions SET passes_left = greatest(passes_left - 1, 1), due_at = ${addMs(now, LAST_PASS_MS)}
     WHERE device_uid = ANY (${plainArray(uids)}::text::uuid[]) AND due_at = ${leasedUntil} AND (passes_left > 1 OR ${again}::boolean)`.execute(
    db,
  );
}

/** Deletes up to `limit` rows from the tables of one statement. @returns the number of deleted rows */
type DeleteBatch = (db: Db, uids: readonly string[], limit: number) => Promise<number>;

const deleteMarks: DeleteBatch = async (db, uids, limit) => {
  const { numAffectedRows } = await sql`
    DELETE FROM roll_up_marks WHERE (device_uid, hour) IN (
      SELECT device_uid, hour FROM roll_up_marks WHERE device_uid = ANY (${plainArray(uids)}::text::uuid[])
       LIMIT ${limit})`.execute(db);
  return Number(numAffectedRows);
};

const deleteLatest: DeleteBatch = async (db, uids, limit) => {
  const { numAffectedRows } = await sql`
    DELETE FROM device_latest WHERE device_uid IN (
      SELECT device_uid FROM device_latest WHERE device_uid = ANY (${plainArray(uids)}::text::uuid[])
       LIMIT ${limit})`.execute(db);
  return Number(numAffectedRows);
};

const deleteRejected: DeleteBatch = async (db, uids, limit) => {
  const { numAffectedRows } = await sql`
    DELETE FROM rejected_messages WHERE id IN (
      SELECT id FROM rejected_messages WHERE device_uid = ANY (${plainArray(uids)}::text::uuid[])
       LIMIT ${limit})`.execute(db);
  return Number(numAffectedRows);
};

/**
 * The deletions from tables other than readings and roll-ups. Marks come first, because an hour without a mark is not
 * recomputed.
 */
export const DELETIONS: readonly DeleteBatch[] = [deleteMarks, deleteLatest, deleteRejected];

/**
 * Deletes shapes in the last pass, after the rows. They are needed to find rows that messages in flight stored since
 * the previous pass.
 */
export const deleteShapes: DeleteBatch = async (db, uids, limit) => {
  const { numAffectedRows } = await sql`
    DELETE FROM telemetry_shapes WHERE shape_no IN (
      SELECT shape_no FROM telemetry_shapes WHERE device_uid = ANY (${plainArray(uids)}::text::uuid[])
       LIMIT ${limit})`.execute(db);
  return Number(numAffectedRows);
};
