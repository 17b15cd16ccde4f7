import { type Db, runRaw } from "../../db/database.ts";

/** The partition of one day (UTC, days since 1970) of what is kept for `retentionDays`. */
export interface TelemetryDay {
  retentionDays: number;
  day: number;
}

/** What most tenants keep telemetry for; the column's default (migration 0008). */
export const USUAL_RETENTION_DAYS = 90;

/** How much longer than readings their hours are kept. */
const HOURS_KEPT_TIMES = 10;

/** Tenants that keep telemetry for another time than {@link USUAL_RETENTION_DAYS}. */
export async function unusualTenants(db: Db): Promise<Map<string, number>> {
  const rows = await runRaw<{ id: string; days: number }>(
    db,
    "SELECT id, telemetry_retention_days AS days FROM tenants WHERE telemetry_retention_days <> $1",
    [USUAL_RETENTION_DAYS],
  );
  return new Map(rows.map(({ id, days }) => [id, days]));
}

/** Makes the partition unless it is there: one statement, one commit, so that no transaction contains it up. */
export async function makeDay(db: Db, { retentionDays, day }: TelemetryDay): Promise<void> {
  await runRaw(db, "SELECT make_telemetry_day($1::smallint, date '1970-01-01' + $2::integer)", [retentionDays, day]);
}

/** The classes of retention that tenants have now. */
export async function retentionsInUse(db: Db): Promise<number[]> {
  const rows = await runRaw<{ days: number }>(db, "SELECT DISTINCT telemetry_retention_days AS days FROM tenants", []);
  return rows.map(({ days }) => days);
}

/** Partitions that go together. */
export type Outlived = string[];

/**
 * What has been over for longer than it is kept, and a day on, at `now`: days of readings and their minutes, kept as their
 * class says, and months of hours, kept ten times as long.
 */
export async function outlivedParts(db: Db, now: Date): Promise<Outlived[]> {
  const rows = await runRaw<{ names: Outlived }>(
    db,
    `WITH parts AS (
       SELECT w.relname AS whole, d.relname AS part, substring(c.relname FROM '[0-9]+$')::integer AS class,
              substring(d.relname FROM '[0-9]+$') AS over
         FROM pg_class w
         JOIN pg_inherits i ON i.inhparent = w.oid JOIN pg_class c ON c.oid = i.inhrelid
         JOIN pg_inherits j ON j.inhparent = c.oid JOIN pg_class d ON d.oid = j.inhrelid
        WHERE w.oid IN ('telemetry'::regclass, 'telemetry_hour'::regclass)
     )
     SELECT CASE whole WHEN 'telemetry' THEN ARRAY[part::text, replace(part, 'telemetry_', 'telemetry_minute_')]
                       ELSE ARRAY[part::text] END AS names
       FROM parts
      WHERE CASE whole WHEN 'telemetry' THEN to_date(over, 'YYYYMMDD') + class
                       ELSE (to_date(over, 'YYYYMM') + interval '1 month')::date + class * ${HOURS_KEPT_TIMES} END + 2
            <= ($1::timestamptz AT TIME ZONE 'UTC')::date
      ORDER BY part`,
    [now],
  );
  return rows.map(({ names }) => names);
}

/**
 * Drops partitions, for which everybody who stores has to step aside a moment: it waits for them no longer than
 * `waitMs`, during which they wait for it, and then lets it be.
 *
 * @returns whether they are gone
 */
export async function dropParts(db: Db, names: Outlived, waitMs: number): Promise<boolean> {
  try {
    await db.transaction().execute(async (tx) => {
      await runRaw(tx, `SET LOCAL lock_timeout = ${waitMs}`, []);
      await runRaw(tx, `DROP TABLE IF EXISTS ${names.map((name) => `"${name}"`).join(", ")}`, []);
    });
    return true;
  } catch (error) {
    if (IN_THE_WAY.includes((error as { code?: string }).code ?? "")) return false;
    throw error;
  }
}

/** A lock that was not to be had in time, or only in a circle. */
const IN_THE_WAY = ["55P03", "40P01"];

/** Whether a row was refused because its day's partition is not there; a refusal by a CHECK names the constraint. */
export function isMissingDay(error: unknown): boolean {
  const { code, constraint } = (error ?? {}) as { code?: string; constraint?: string };
  return code === "23514" && !constraint;
}
