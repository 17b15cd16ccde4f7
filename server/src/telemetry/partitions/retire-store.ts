import { sql } from "kysely";
import type { Db, Tx } from "../../db/database.ts";
import type { ComputedSpan } from "../roll-up/compute-hours.ts";
import type { DayPartition } from "./partition-store.ts";

/** The partition of a day of messages. */
export interface MessageDay extends DayPartition {
  name: string;
}

/** The days of messages that ended before: first that with the most on disk, of equal ones the latest. */
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

/** Rows of hours that are not in chunks yet, which are stored again when their day goes. Storing waits meanwhile. */
const MOST_ROWS = 10_000;

/**
 * Drops the rows of a day, except those of hours that are marked.
 *
 * @param waitMs for the lock, which storing waits behind
 * @returns whether they are dropped; otherwise too many are of hours that are marked
 * @throws what `isLockNotGranted` tells
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
 * Deletes the rows that a device has in an hour, or some of one, of a day that is to go; they are all in chunks. Those that a batch replaces just now stay, since the batch waits
 * for the mark of the hour in turn.
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
