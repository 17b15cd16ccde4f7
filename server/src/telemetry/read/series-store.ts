import { type RawBuilder, sql } from "kysely";
import { plainArray } from "../../db/array-literal.ts";
import type { Db } from "../../db/database.ts";
import { readStatement, statement } from "../../db/statement.ts";
import { numbersOf, numbersOfOnlyShape } from "../messages/metric-readings-store.ts";
import { addend } from "../roll-up/roll-up-store.ts";
import { coverOf, type SeriesRange, spansOf } from "./series-spans.ts";

export interface BucketRow {
  bucket: Date;
  lowest: number;
  highest: number;
  total: number;
  readings: string;
}

/** `is_mixed`: of rows that were stored under different retentions, of which some may have the same time. */
type CountedRow = BucketRow & { is_mixed: boolean };

const TABLES = { minute: sql`telemetry_minute`, hour: sql`telemetry_hour` };

const dirtyHours = statement<{ deviceUid: string; from: Date; to: Date }, { hour: Date }>(
  "dirty-hours-of-device",
  (p) => sql`
  SELECT m.hour FROM roll_up_marks m
   WHERE m.device_uid = ${p.deviceUid}::uuid AND m.hour > ${p.from}::timestamptz - interval '1 hour'
     AND m.hour < ${p.to}::timestamptz`,
);

/**
 * The buckets of a series, oldest first. Whole hours or minutes are read from their roll-ups, dirty hours and both ends of the range
 * from the readings.
 *
 * The marks are read first, so that the second statement is planned for the few days whose readings it reads: of a year, PostgreSQL
 * would otherwise plan every day. Each hour is as it was at one of the two moments: one that was dirty is read from its readings, whether it has
 * been computed since or not; another from its roll-up. Where the metric is in one shape, the readings are those of that shape.
 */
export async function selectSeries(
  db: Db,
  deviceUid: string,
  metric: string,
  range: SeriesRange,
): Promise<BucketRow[]> {
  const { from, to, seconds, rolledUp } = range;
  const [marks, ofOnlyShape] = await Promise.all([
    rolledUp ? readStatement(db, dirtyHours, { deviceUid, from: rolledUp.from, to: rolledUp.to }) : [],
    numbersOfOnlyShape(db, { deviceUid, metric, from, to }),
  ]);
  const dirty = marks.map(({ hour }) => hour);
  const whole = rolledUp ?? { unit: "hour", from: range.to, to: range.to };
  const bucketOf = (time: string) =>
    sql`date_bin(${seconds}::integer * interval '1 second', ${sql.ref(time)}, 'epoch')`;
  const spans = spansOf(range, dirty);
  const cover = coverOf(spans);
  const within = (time: RawBuilder<unknown>) => {
    const days = cover.map((span) => sql`(${time} >= ${span.from}::timestamptz AND ${time} < ${span.to}::timestamptz)`);
    return sql`${time} >= span."from" AND ${time} < span."to" AND (${sql.join([sql`false`, ...days], sql` OR `)})`;
  };
  const read = async (numbers: RawBuilder<unknown>) => {
    const { rows } = await sql<CountedRow>`
    WITH parts AS (
      SELECT ${bucketOf("r.bucket")} AS bucket, r.lowest, r.highest, r.total, r.readings, false AS is_mixed
        FROM ${TABLES[whole.unit]} r
       WHERE r.device_uid = ${deviceUid} AND r.metric = ${metric}
         AND r.bucket >= ${whole.from}::timestamptz AND r.bucket < ${whole.to}::timestamptz
         AND date_bin('1 hour', r.bucket, 'epoch') <> ALL (${timesOf(dirty)}::text::timestamptz[])
      UNION ALL
      SELECT p.* FROM unnest(${timesOf(spans.map(({ from }) => from))}::text::timestamptz[],
                             ${timesOf(spans.map(({ to }) => to))}::text::timestamptz[]) AS span ("from", "to") CROSS JOIN LATERAL (
        SELECT ${bucketOf("t.ts")}, min(t.number), max(t.number), sum(${addend}), count(*),
               min(t.retention_days) <> max(t.retention_days)
          FROM (${numbers}) t
         WHERE t.number IS NOT NULL GROUP BY 1) p
    )
    SELECT bucket, min(lowest) AS lowest, max(highest) AS highest, sum(total) AS total, sum(readings)::text AS readings,
           bool_or(is_mixed) AS is_mixed
      FROM parts GROUP BY bucket ORDER BY bucket`.execute(db);
    return rows;
  };
  const rows = ofOnlyShape && (await read(ofOnlyShape(within)));
  if (rows !== undefined && !rows.some((row) => row.is_mixed)) return rows;
  return await read(numbersOf({ deviceUid: sql`${deviceUid}::uuid`, metric: sql`${metric}::text`, within }));
}

const timesOf = (times: readonly Date[]) => plainArray(times.map((time) => time.toISOString()));
