import { sql } from "kysely";
import type { Db } from "../../db/database.ts";
import { addend } from "../roll-up/roll-up-store.ts";

export interface BucketRow {
  bucket: Date;
  lowest: number;
  highest: number;
  total: number;
  readings: string;
}

/** [from, to) in buckets of `seconds`, which begin at multiples of it since 1970. */
export interface SeriesRange {
  from: Date;
  to: Date;
  seconds: number;
  /** The roll-ups that the buckets are made of, and the part of the range that whole ones of them fill. */
  rolledUp: { unit: "minute" | "hour"; from: Date; to: Date } | undefined;
}

const TABLES = { minute: sql`telemetry_minute`, hour: sql`telemetry_hour` };

/**
 * The buckets of a series, oldest first. Whole hours or minutes are read from their roll-ups, dirty hours and both ends of the range
 * from the readings. One statement, so one snapshot: the mark of an hour, its roll-ups and its readings match. Planned for these
 * times, so that only their partitions are read.
 */
export async function selectSeries(
  db: Db,
  deviceUid: string,
  metric: string,
  { from, to, seconds, rolledUp }: SeriesRange,
): Promise<BucketRow[]> {
  const whole = rolledUp ?? { unit: "hour", from: to, to };
  const bucketOf = (time: string) =>
    sql`date_bin(${seconds}::integer * interval '1 second', ${sql.ref(time)}, 'epoch')`;
  const { rows } = await sql<BucketRow>`
    WITH dirty AS MATERIALIZED (
      SELECT hour FROM roll_up_marks
       WHERE device_uid = ${deviceUid} AND hour > ${whole.from}::timestamptz - interval '1 hour'
         AND hour < ${whole.to}::timestamptz
    ), spans AS (
      SELECT ${from}::timestamptz AS "from", ${whole.from}::timestamptz AS "to"
      UNION ALL SELECT ${whole.to}::timestamptz, ${to}::timestamptz
      UNION ALL SELECT greatest(hour, ${whole.from}::timestamptz), least(hour + interval '1 hour', ${whole.to}::timestamptz)
                  FROM dirty
    ), parts AS (
      SELECT ${bucketOf("r.bucket")} AS bucket, r.lowest, r.highest, r.total, r.readings
        FROM ${TABLES[whole.unit]} r
       WHERE r.device_uid = ${deviceUid} AND r.metric = ${metric}
         AND r.bucket >= ${whole.from}::timestamptz AND r.bucket < ${whole.to}::timestamptz
         AND date_bin('1 hour', r.bucket, 'epoch') NOT IN (SELECT hour FROM dirty)
      UNION ALL
      SELECT p.* FROM spans s CROSS JOIN LATERAL (
        SELECT ${bucketOf("t.ts")}, min(t.number), max(t.number), sum(${addend}), count(*)
          FROM telemetry t
         WHERE t.device_uid = ${deviceUid} AND t.metric = ${metric} AND t.number IS NOT NULL
           AND t.ts >= s."from" AND t.ts < s."to"
           AND t.ts >= ${from}::timestamptz AND t.ts < ${to}::timestamptz
         GROUP BY 1) p
    )
    SELECT bucket, min(lowest) AS lowest, max(highest) AS highest, sum(total) AS total, sum(readings)::text AS readings
      FROM parts GROUP BY bucket ORDER BY bucket`.execute(db);
  return rows;
}
