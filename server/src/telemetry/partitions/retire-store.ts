import { sql } from "kysely";
import type { Db, Tx } from "../../db/database.ts";
import type { DayPartition } from "./partition-store.ts";

/** The days of messages that ended before. */
export async function listMessageDays(db: Db, endedBefore: Date): Promise<DayPartition[]> {
  const { rows } = await sql<DayPartition>`
    SELECT substring(c.relname FROM '[0-9]+$')::integer AS "retentionDays", to_date(right(d.relname, 8), 'YYYYMMDD') - date '1970-01-01' AS day
      FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
      JOIN pg_inherits j ON j.inhparent = c.oid JOIN pg_class d ON d.oid = j.inhrelid
     WHERE i.inhparent = 'telemetry_messages'::regclass
       AND to_date(right(d.relname, 8), 'YYYYMMDD') < (${endedBefore}::timestamptz AT TIME ZONE 'UTC')::date
     ORDER BY d.relname`.execute(db);
  return rows;
}

/** Rows of hours that are not in chunks yet, which are stored again when their day goes. Storing waits meanwhile. */
const MOST_ROWS = 10_000;

/**
 * Drops the rows of a day, except those of hours that are marked.
 *
 * @param waitMs for the lock, which storing waits behind
 * @throws what `isLockNotGranted` tells
 */
export async function retireDay(tx: Tx, { retentionDays, day }: DayPartition, waitMs: number): Promise<void> {
  await sql`SET LOCAL lock_timeout = ${sql.lit(waitMs)}`.execute(tx);
  await sql`SELECT retire_message_day(${retentionDays}::smallint, date '1970-01-01' + ${day}::integer, ${MOST_ROWS}::integer)`.execute(
    tx,
  );
}
