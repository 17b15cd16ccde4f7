import { sql } from "kysely";
import type { Db, Tx } from "../../db/database.ts";
import type { ComputedSpan } from "../roll-up/compute-hours.ts";
import type { DayPartition } from "./partition-store.ts";

/** The partition of a day of messages. */
export interface MessageDay extends DayPartition {
  name: string;
}

/** Lists the days of messages that ended before a time: largest on disk first, then latest. */
export async function listMessageDays(db: Db, endedBefore: Date): Promise<MessageDay[]> {
  const { rows } = await sql<MessageDay>`
    SELECT d.relname AS name, substring(c.relname FROM '[0-9]+$')::integer AS "retentionDays", to_date(right(d.relname, 8), 'YYYYMMDD') - date '1970-01-01' AS day
      FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
      JOIN pg_inherits j ON j.inhparent = c.oid JOIN pg_class d ON d.oid = j.inhrelid
     WHERE i.inhparent = 'telemetry_messages'::regclass
       AND to_date(right(d.relname, 8), 'YYYYMMDD') < (${endedBefore}::timestamptz AT TIME ZONE 'UTC')::date
     ORDER BY pg_relation_size(d.oid) DESC NULLS LAST, day DESC`.execute(db);
  return rows;
}

/**
 * The maximum number of rows in unfinished hours, which are stored again when their day is dropped. Storing waits
 * during that.
 */
const MOST_ROWS = 10_000;

/**
 * Drops the rows of a day, except those of hours that are marked dirty.
 *
 * @param waitMs the longest wait for the lock, since storing queues behind it
 * @returns whether they were dropped; `false` if too many rows are in marked hours
 * @throws an error that `isLockNotGranted` recognizes
 */
export async function retireDay(tx: Tx, { retentionDays, day }: DayPartition, waitMs: number): Promise<boolean> {
  await sql`SET LOCAL lock_timeout = ${sql.lit(waitMs)}`.execute(tx);
  const { rows } = await sql<{ dropped: boolean }>`
    SELECT retire_message_day(${retentionDays}::smallint, date '1970-01-01' + ${day}::integer, ${MOST_ROWS}::integer) AS dropped`.execute(
    tx,
  );
  return rows[0]!.dropped;
}

/**
 * Deletes a device's rows in an hour or a part of one, on a day that is about to be dropped. They are all in chunks.
 * Rows that a batch is replacing stay: the batch in turn waits for the mark of the hour.
 */
export async function deleteRowsWithin(
  tx: Tx,
  { name }: Pick<MessageDay, "name">,
  { deviceUid, from, to }: ComputedSpan,
): Promise<void> {
  const timeOf = (time: number) => sql`to_timestamp(${time}::float8 / 1e6)`;
  await sql`
    DELETE FROM ${sql.table(name)} WHERE ctid = ANY (ARRAY(
      SELECT m.ctid FROM ${sql.table(name)} m
       WHERE m.shape_no = ANY (ARRAY(SELECT s.shape_no FROM telemetry_shapes s WHERE s.device_uid = ${deviceUid}::uuid))
         AND m.ts >= ${timeOf(from)} AND m.ts < ${timeOf(to)}
         FOR UPDATE SKIP LOCKED))`.execute(tx);
}
