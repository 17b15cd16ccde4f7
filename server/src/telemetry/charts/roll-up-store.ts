import { plainArray } from "../../db/array-literal.ts";
import { type Db, runPrepared, runRaw, type Tx } from "../../db/database.ts";
import { liftTimeLimit } from "../../db/time-limit.ts";
import type { Marks } from "./roll-up-marks.ts";

/** An hour is computed this long after its end, or after the first late reading: most of what is late has come then. */
const REST = "interval '2 minutes'";

/** Sums stop here, far from where they would overflow: a sum of absurd numbers is wrong, but it is a number. */
export const ADDEND = "greatest(least(t.number, 1e290), -1e290)";

/**
 * Marks the hours of `$uids` and `$hours` at the time `$now` (seconds since 1970). A mark that is there already is held until
 * the commit, so that nobody computes the hour from what was there before.
 */
export function insertMarks(uids: string, hours: string, now: string): string {
  return `INSERT INTO roll_up_marks AS k (device_uid, hour, due_at)
  SELECT u.device_uid, to_timestamp(u.hour * 3600), greatest(to_timestamp(u.hour * 3600 + 3600), to_timestamp(${now}::text::float8)) + ${REST}
    FROM unnest(${uids}::text::uuid[], ${hours}::text::float8[]) AS u (device_uid, hour) ORDER BY 1, 2
  ON CONFLICT (device_uid, hour) DO UPDATE SET due_at = k.due_at WHERE false`;
}

/** The parameters of {@link insertMarks}. */
export function marksParameters({ deviceUids, hours }: Marks, nowMs: number): [string, string, string] {
  return [plainArray(deviceUids), plainArray(hours), String(nowMs / 1000)];
}

export async function storeMarks(db: Db, marks: Marks, nowMs: number): Promise<void> {
  await runPrepared(db, "store-marks", insertMarks("$1", "$2", "$3"), marksParameters(marks, nowMs));
}

export interface MarkedHour {
  device_uid: string;
  hour: Date;
}

/** Takes up to `limit` marks that are due at `now` away; whoever else takes or contains one keeps it. */
export async function takeMarks(tx: Tx, now: Date, limit: number): Promise<MarkedHour[]> {
  // An hour may hold any number of readings.
  await liftTimeLimit(tx);
  return await runRaw<MarkedHour>(
    tx,
    `DELETE FROM roll_up_marks m USING (
       SELECT device_uid, hour FROM roll_up_marks WHERE due_at <= $1 ORDER BY due_at LIMIT $2 FOR UPDATE SKIP LOCKED) d
      WHERE m.device_uid = d.device_uid AND m.hour = d.hour RETURNING m.device_uid, m.hour`,
    [now, limit],
  );
}

/** The given hours ($1 and $2, all within $3 to $4) and what they say; hours whose readings may be gone ($5 is now) stay as they are. */
const GIVEN = `
  unnest($1::text::uuid[], $2::text::timestamptz[]) AS c (device_uid, hour)`;
const WITHIN = (time: string) =>
  `${time} >= c.hour AND ${time} < c.hour + interval '1 hour' AND ${time} >= $3::timestamptz AND ${time} < $4::timestamptz`;
const STILL_KEPT = (alias: string) => `${alias}.bucket >= $5::timestamptz - ${alias}.retention_days * interval '1 day'`;

const forget = (table: string) => `
DELETE FROM ${table} r USING ${GIVEN}
 WHERE r.device_uid = c.device_uid AND ${WITHIN("r.bucket")} AND ${STILL_KEPT("r")}`;

/** Metric by metric, as the index goes; every metric has a latest value. */
const COMPUTE = `
INSERT INTO telemetry_minute (device_uid, metric, bucket, lowest, highest, total, readings, retention_days)
SELECT r.* FROM (
  SELECT l.device_uid, l.metric, m.bucket, m.lowest, m.highest, m.total, m.readings, m.retention_days
    FROM ${GIVEN}
    JOIN telemetry_latest l ON l.device_uid = c.device_uid
   CROSS JOIN LATERAL (
     SELECT date_bin('1 minute', t.ts, 'epoch') AS bucket, min(t.number) AS lowest, max(t.number) AS highest,
            sum(${ADDEND}) AS total, count(*) AS readings, t.retention_days
       FROM telemetry t
      WHERE t.device_uid = l.device_uid AND t.metric = l.metric AND t.number IS NOT NULL AND ${WITHIN("t.ts")}
      GROUP BY 1, t.retention_days) m) r
 WHERE ${STILL_KEPT("r")}`;

const SUM_UP = `
INSERT INTO telemetry_hour (device_uid, metric, bucket, lowest, highest, total, readings, retention_days)
SELECT r.device_uid, r.metric, c.hour, min(r.lowest), max(r.highest), sum(r.total), sum(r.readings), r.retention_days
  FROM ${GIVEN}
  JOIN telemetry_minute r ON r.device_uid = c.device_uid AND ${WITHIN("r.bucket")} AND ${STILL_KEPT("r")}
 GROUP BY r.device_uid, r.metric, c.hour, r.retention_days`;

/** Computes the minutes and hours of `marked` anew. Statements of their own, each of which sees what was stored before it. */
export async function computeHours(tx: Tx, marked: readonly MarkedHour[], now: Date): Promise<void> {
  const hours = marked.map(({ hour }) => hour.getTime());
  const [from, to] = [Math.min(...hours), Math.max(...hours) + 3_600_000];
  const parameters = [
    plainArray(marked.map(({ device_uid }) => device_uid)),
    `{${marked.map(({ hour }) => `"${hour.toISOString()}"`).join(",")}}`,
    new Date(from),
    new Date(to),
    now,
  ];
  for (const table of ["telemetry_minute", "telemetry_hour"]) await runRaw(tx, forget(table), parameters);
  await runRaw(tx, COMPUTE, parameters);
  await runRaw(tx, SUM_UP, parameters);
}
