import { type Db, runRaw } from "../db/database.ts";

/** The partition of one day (UTC, days since 1970) of what is kept for `retentionDays`. */
export interface TelemetryDay {
  retentionDays: number;
  day: number;
}

/** What most tenants keep telemetry for; the column's default (migration 0008). */
export const USUAL_RETENTION_DAYS = 90;

/** Tenants that keep telemetry for another time than {@link USUAL_RETENTION_DAYS}. */
export async function unusualTenants(db: Db): Promise<Map<string, number>> {
  const rows = await runRaw<{ id: string; days: number }>(
    db,
    "SELECT id, telemetry_retention_days AS days FROM tenants WHERE telemetry_retention_days <> $1",
    [USUAL_RETENTION_DAYS],
  );
  return new Map(rows.map(({ id, days }) => [id, days]));
}

/** Makes the partition unless it is there: one statement, one commit, so that no transaction holds it up. */
export async function makeDay(db: Db, { retentionDays, day }: TelemetryDay): Promise<void> {
  await runRaw(db, "SELECT make_telemetry_day($1::smallint, date '1970-01-01' + $2::integer)", [retentionDays, day]);
}

/** The classes of retention that tenants have now. */
export async function retentionsInUse(db: Db): Promise<number[]> {
  const rows = await runRaw<{ days: number }>(db, "SELECT DISTINCT telemetry_retention_days AS days FROM tenants", []);
  return rows.map(({ days }) => days);
}

/** The partitions whose day has been over for longer than their class, and a day on, at `now`. */
export async function outlivedDays(db: Db, now: Date): Promise<string[]> {
  const rows = await runRaw<{ name: string }>(
    db,
    `SELECT d.relname AS name
       FROM pg_inherits c
       JOIN pg_inherits i ON i.inhparent = c.inhrelid
       JOIN pg_class d ON d.oid = i.inhrelid
      WHERE c.inhparent = 'telemetry'::regclass
        AND to_date(split_part(d.relname, '_', 3), 'YYYYMMDD') + split_part(d.relname, '_', 2)::integer + 2
            <= ($1::timestamptz AT TIME ZONE 'UTC')::date
      ORDER BY d.relname`,
    [now],
  );
  return rows.map(({ name }) => name);
}

/**
 * Drops a partition, for which everybody who stores has to step aside a moment: it waits for them no longer than
 * `waitMs`, during which they wait for it, and then lets it be.
 *
 * @returns whether it is gone
 */
export async function dropDay(db: Db, name: string, waitMs: number): Promise<boolean> {
  try {
    await db.transaction().execute(async (tx) => {
      await runRaw(tx, `SET LOCAL lock_timeout = ${waitMs}`, []);
      await runRaw(tx, `DROP TABLE IF EXISTS "${name}"`, []);
    });
    return true;
  } catch (error) {
    if ((error as { code?: string }).code === "55P03" || (error as { code?: string }).code === "40P01") return false;
    throw error;
  }
}

/** Whether a row was refused because its day's partition is not there; a refusal by a CHECK names the constraint. */
export function isMissingDay(error: unknown): boolean {
  const { code, constraint } = (error ?? {}) as { code?: string; constraint?: string };
  return code === "23514" && !constraint;
}
