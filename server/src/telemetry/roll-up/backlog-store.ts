import { sql } from "kysely";
import type { Db } from "../../db/database.ts";

/** Shapes whose hours of a day are marked at once. */
const SHAPES_AT_ONCE = 200;

interface BacklogDay {
  retention_days: number;
  day: string;
  marked_to: number;
}

/**
 * Marks hours of a day that was stored before there were chunks, so that they are put into chunks: a part of the day, and where it was the last one, the day is left
 * to the jobs that other days are left to. The latest day comes first. A crash leaves the rest to the next call.
 *
 * @returns whether something was left to mark; hours that are due should be computed before the next call
 */
export async function markBacklog(db: Db, now: Date): Promise<boolean> {
  return await db.transaction().execute(async (tx) => {
    const { rows } = await sql<BacklogDay>`
      SELECT retention_days, day::text, marked_to FROM chunk_backlog ORDER BY day DESC, retention_days LIMIT 1
         FOR UPDATE SKIP LOCKED`.execute(tx);
    const day = rows[0];
    if (day === undefined) return false;
    const which = sql`retention_days = ${day.retention_days} AND day = ${day.day}::date`;
    const marked = await markHours(tx, day, now);
    if (marked === null) await sql`DELETE FROM chunk_backlog WHERE ${which}`.execute(tx);
    else await sql`UPDATE chunk_backlog SET marked_to = ${marked} WHERE ${which}`.execute(tx);
    return true;
  });
}

/** Marks the hours of the next shapes. A device that is being deleted has none. @returns the last of the shapes; null when there are none */
async function markHours(db: Db, { retention_days, day, marked_to }: BacklogDay, now: Date): Promise<number | null> {
  const from = new Date(`${day}T00:00:00Z`);
  const to = new Date(from.getTime() + 86_400_000);
  const { rows } = await sql<{ last: number | null }>`
    WITH shapes AS (
      SELECT shape_no, device_uid FROM telemetry_shapes WHERE shape_no > ${marked_to} ORDER BY shape_no LIMIT ${SHAPES_AT_ONCE}),
    marked AS (
      INSERT INTO roll_up_marks (device_uid, hour, due_at, compute_at, chunk_at)
      SELECT DISTINCT s.device_uid, h.hour, timestamptz 'infinity', timestamptz 'infinity',
             greatest(h.hour + interval '62 minutes', ${now}::timestamptz)
        FROM shapes s
       CROSS JOIN generate_series(${from}::timestamptz, ${to}::timestamptz - interval '1 hour', interval '1 hour') AS h (hour)
       WHERE NOT EXISTS (SELECT FROM telemetry_deletions d WHERE d.device_uid = s.device_uid)
         AND EXISTS (
           SELECT FROM telemetry_messages m
            WHERE m.shape_no = s.shape_no AND m.ts >= h.hour AND m.ts < h.hour + interval '1 hour'
              AND m.ts >= ${from}::timestamptz AND m.ts < ${to}::timestamptz AND m.retention_days = ${retention_days})
       ORDER BY 1, 2
      ON CONFLICT (device_uid, hour) DO NOTHING)
    SELECT max(shape_no) AS last FROM shapes`.execute(db);
  return rows[0]!.last;
}

/** Days whose messages are not all in chunks or marked to be. */
export async function countBacklog(db: Db): Promise<number> {
  const { rows } = await sql<{ days: number }>`SELECT count(*)::int AS days FROM chunk_backlog`.execute(db);
  return rows[0]!.days;
}
