import { type Db, runRaw } from "../../db/database.ts";
import { ADDEND } from "./roll-up-store.ts";

export interface ReadingRow {
  ts: Date;
  /** `ts` in microseconds since 1970. */
  us: string;
  number: number | null;
  flag: boolean | null;
  text: string | null;
  received_at: Date;
  time_replaced: boolean;
}

/** Up to `limit` readings of [from, to) and, where it is given, before `beforeUs` (microseconds since 1970), newest first. */
export function selectReadings(
  db: Db,
  deviceUid: string,
  metric: string,
  { from, to, limit, beforeUs }: { from: Date; to: Date; limit: number; beforeUs: number | undefined },
): Promise<ReadingRow[]> {
  return runRaw<ReadingRow>(
    db,
    `SELECT t.ts, (extract(epoch FROM t.ts) * 1000000)::bigint::text AS us, t.number, t.flag, t.text, t.received_at, t.time_replaced
       FROM telemetry t
      WHERE t.device_uid = $1 AND t.metric = $2 AND t.ts >= $3
        AND t.ts < least($4::timestamptz, to_timestamp($5::float8 / 1e6))
      ORDER BY t.ts DESC LIMIT $6`,
    [deviceUid, metric, from, to, beforeUs ?? null, limit],
  );
}

export interface BucketRow {
  bucket: Date;
  lowest: number;
  highest: number;
  total: number;
  readings: string;
}

/** What is read of a series: [from, to) in buckets of `seconds`, which begin at multiples of it since 1970. */
export interface SeriesRange {
  from: Date;
  to: Date;
  seconds: number;
  /** The roll-ups that the buckets are made of, and the part of the range that whole ones of them fill. */
  rolledUp: { table: "telemetry_minute" | "telemetry_hour"; from: Date; to: Date } | undefined;
}

/**
 * One statement, hence one snapshot: an hour's mark, its roll-ups and its readings belong together. Whole hours or minutes
 * are taken from their roll-ups, marked hours and the ends of the range from the readings.
 */
export function selectSeries(db: Db, deviceUid: string, metric: string, range: SeriesRange): Promise<BucketRow[]> {
  const { from, to, seconds, rolledUp } = range;
  const whole = rolledUp ?? { table: "telemetry_hour", from: to, to };
  return runRaw<BucketRow>(
    db,
    `WITH marked AS MATERIALIZED (
       SELECT hour FROM roll_up_marks
        WHERE device_uid = $1 AND hour > $6::timestamptz - interval '1 hour' AND hour < $7::timestamptz
     ), stretches AS (
       SELECT $3::timestamptz AS "from", $6::timestamptz AS "to"
       UNION ALL SELECT $7, $4::timestamptz
       UNION ALL SELECT greatest(hour, $6), least(hour + interval '1 hour', $7) FROM marked
     ), parts AS (
       SELECT date_bin($5::integer * interval '1 second', r.bucket, 'epoch') AS bucket, r.lowest, r.highest, r.total, r.readings
         FROM ${whole.table} r
        WHERE r.device_uid = $1 AND r.metric = $2 AND r.bucket >= $6 AND r.bucket < $7
          AND date_bin('1 hour', r.bucket, 'epoch') NOT IN (SELECT hour FROM marked)
       UNION ALL
       SELECT p.* FROM stretches s CROSS JOIN LATERAL (
         SELECT date_bin($5::integer * interval '1 second', t.ts, 'epoch'), min(t.number), max(t.number), sum(${ADDEND}), count(*)
           FROM telemetry t
          WHERE t.device_uid = $1 AND t.metric = $2 AND t.number IS NOT NULL
            AND t.ts >= s."from" AND t.ts < s."to" AND t.ts >= $3 AND t.ts < $4
          GROUP BY 1) p
     )
     SELECT bucket, min(lowest) AS lowest, max(highest) AS highest, sum(total) AS total, sum(readings)::text AS readings
       FROM parts GROUP BY bucket ORDER BY bucket`,
    [deviceUid, metric, from, to, seconds, whole.from, whole.to],
  );
}
