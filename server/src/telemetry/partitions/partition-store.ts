import { sql } from "kysely";
import type { Db } from "../../db/database.ts";

/** The partition of one day (UTC, days since 1970) of messages that are stored for `retentionDays`. */
export interface DayPartition {
  retentionDays: number;
  day: number;
}

/** The default retention of a tenant, equal to the column's default. */
export const DEFAULT_RETENTION_DAYS = 90;

/** The multiple of the readings' retention for which hourly roll-ups are stored. */
const HOUR_RETENTION_FACTOR = 10;

/** Returns the retention in days by tenant id, for tenants that deviate from {@link DEFAULT_RETENTION_DAYS}. */
export async function listRetentionOverrides(db: Db): Promise<Map<string, number>> {
  const { rows } = await sql<{ id: string; days: number }>`
    SELECT id, telemetry_retention_days AS days FROM shared_tenants
     WHERE telemetry_retention_days <> ${DEFAULT_RETENTION_DAYS}`.execute(db);
  return new Map(rows.map(({ id, days }) => [id, days]));
}

/** Returns the retentions currently in use, in days. */
export async function listRetentions(db: Db): Promise<number[]> {
  const { rows } = await sql<{ days: number }>`
    SELECT DISTINCT telemetry_retention_days AS days FROM shared_tenants`.execute(db);
  return rows.map(({ days }) => days);
}

/** Creates the partition unless it exists, in a separate commit so that no open transaction keeps it locked. */
export async function createDayPartition(db: Db, { retentionDays, day }: DayPartition): Promise<void> {
  await sql`SELECT make_message_day(${retentionDays}::smallint, date '1970-01-01' + ${day}::integer)`.execute(db);
}

/** The names of partitions that are dropped together: messages and chunks of one day, or one month of hours. */
export type PartitionNames = string[];

/**
 * Lists the partitions that are past their retention by more than a day at `now`. Messages and chunks expire by day
 * after their retention, hours by month after ten times as long.
 */
export async function listExpiredPartitions(db: Db, now: Date): Promise<PartitionNames[]> {
  const { rows } = await sql<{ names: PartitionNames }>`
    WITH parts AS (
      SELECT w.relname AS whole, d.relname AS part, substring(c.relname FROM '[0-9]+$')::integer AS retention_days,
             substring(d.relname FROM '[0-9]+$') AS period
        FROM pg_class w
        JOIN pg_inherits i ON i.inhparent = w.oid JOIN pg_class c ON c.oid = i.inhrelid
        JOIN pg_inherits j ON j.inhparent = c.oid JOIN pg_class d ON d.oid = j.inhrelid
       WHERE w.oid IN ('telemetry_chunks'::regclass, 'telemetry_hour'::regclass)
    )
    SELECT CASE whole WHEN 'telemetry_hour' THEN ARRAY[part::text]
                      ELSE ARRAY[replace(part, whole || '_', 'telemetry_messages_'), part::text] END AS names
      FROM parts
     WHERE CASE whole WHEN 'telemetry_hour' THEN (to_date(period, 'YYYYMM') + interval '1 month')::date
                                                 + retention_days * ${sql.lit(HOUR_RETENTION_FACTOR)}
                      ELSE to_date(period, 'YYYYMMDD') + retention_days END + 2
           <= (${now}::timestamptz AT TIME ZONE 'UTC')::date
     ORDER BY part`.execute(db);
  return rows.map(({ names }) => names);
}

/**
 * Drops partitions. This locks the whole table, and statements that store telemetry queue behind the pending lock, so
 * it waits at most `waitMs`.
 *
 * @returns whether they were dropped; `false` if the lock was not granted in time
 */
export async function dropPartitions(db: Db, names: PartitionNames, waitMs: number): Promise<boolean> {
  try {
    await db.transaction().execute(async (tx) => {
      await sql`SET LOCAL lock_timeout = ${sql.lit(waitMs)}`.execute(tx);
      await sql`SELECT drop_telemetry_parts(${names}::text[])`.execute(tx);
    });
    return true;
  } catch (error) {
    if (isLockNotGranted(error)) return false;
    throw error;
  }
}

/** The SQLSTATEs of a lock timeout and a deadlock. */
const LOCK_NOT_GRANTED = ["55P03", "40P01"];

export function isLockNotGranted(error: unknown): boolean {
  return LOCK_NOT_GRANTED.includes((error as { code?: string }).code ?? "");
}

/**
 * Checks whether a row was refused because its partition does not exist. A violated CHECK has the same SQLSTATE but
 * names a constraint.
 */
export function isMissingPartition(error: unknown): boolean {
  const { code, constraint } = (error ?? {}) as { code?: string; constraint?: string };
  return code === "23514" && !constraint;
}
