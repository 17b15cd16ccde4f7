import { type RawBuilder, sql } from "kysely";
import { plainArray } from "../../db/array-literal.ts";
import type { Tx } from "../../db/database.ts";
import { numbersOf } from "../messages/metric-readings-store.ts";
import type { DirtyHour } from "./dirty-hour-store.ts";

/** The number of a reading, bounded so that no sum overflows: the sum of extreme numbers is wrong, but finite. */
export const addend = sql`greatest(least(t.number, 1e290), -1e290)`;

/** The hours to compute, and the span that all of them lie in, by which partitions are pruned. */
interface Hours {
  deviceUids: string;
  hours: string;
  from: Date;
  to: Date;
  now: Date;
}

/** The hours as rows of `c`. */
const rowsOf = ({ deviceUids, hours }: Hours) =>
  sql`unnest(${deviceUids}::text::uuid[], ${hours}::text::timestamptz[]) AS c (device_uid, hour)`;

const inHour = (time: RawBuilder<unknown>, { from, to }: Hours) =>
  sql`${time} >= c.hour AND ${time} < c.hour + interval '1 hour'
      AND ${time} >= ${from}::timestamptz AND ${time} < ${to}::timestamptz`;

/** Roll-ups whose readings may be dropped already stay as they are. */
const readingsExist = ({ now }: Hours) => sql`r.bucket >= ${now}::timestamptz - r.retention_days * interval '1 day'`;

/** What follows `DELETE FROM <roll-up table> r`. */
const ofHours = (hours: Hours) => sql`USING ${rowsOf(hours)}
   WHERE r.device_uid = c.device_uid AND ${inHour(sql`r.bucket`, hours)} AND ${readingsExist(hours)}`;

/** Metric by metric, in the order of the index; every metric has a latest value. */
const insertMinutes = (hours: Hours) => {
  const within = (time: RawBuilder<unknown>) => inHour(time, hours);
  return sql`
  INSERT INTO telemetry_minute (device_uid, metric, bucket, lowest, highest, total, readings, retention_days)
  SELECT r.* FROM (
    SELECT l.device_uid, n.metric, m.bucket, m.lowest, m.highest, m.total, m.readings, m.retention_days
      FROM ${rowsOf(hours)}
      JOIN device_latest l ON l.device_uid = c.device_uid
     CROSS JOIN LATERAL unnest(l.metrics) AS n (metric)
     CROSS JOIN LATERAL (
       SELECT date_bin('1 minute', t.ts, 'epoch') AS bucket, min(t.number) AS lowest, max(t.number) AS highest,
              sum(${addend}) AS total, count(*) AS readings, t.retention_days
         FROM (${numbersOf({ deviceUid: sql`l.device_uid`, metric: sql`n.metric`, within })}) t
        WHERE t.number IS NOT NULL GROUP BY 1, t.retention_days) m) r
   WHERE ${readingsExist(hours)}`;
};

const insertHours = (hours: Hours) => sql`
  INSERT INTO telemetry_hour (device_uid, metric, bucket, lowest, highest, total, readings, retention_days)
  SELECT r.device_uid, r.metric, c.hour, min(r.lowest), max(r.highest), sum(r.total), sum(r.readings), r.retention_days
    FROM ${rowsOf(hours)}
    JOIN telemetry_minute r
      ON r.device_uid = c.device_uid AND ${inHour(sql`r.bucket`, hours)} AND ${readingsExist(hours)}
   GROUP BY r.device_uid, r.metric, c.hour, r.retention_days`;

/** Recomputes the minutes and hours of `dirty`. Separate statements, since each must see what those before it wrote. */
export async function recomputeHours(tx: Tx, dirty: readonly DirtyHour[], now: Date): Promise<void> {
  const times = dirty.map(({ hour }) => hour.getTime());
  const hours: Hours = {
    deviceUids: plainArray(dirty.map(({ device_uid }) => device_uid)),
    hours: `{${dirty.map(({ hour }) => `"${hour.toISOString()}"`).join(",")}}`,
    from: new Date(Math.min(...times)),
    to: new Date(Math.max(...times) + 3_600_000),
    now,
  };
  await sql`DELETE FROM telemetry_minute r ${ofHours(hours)}`.execute(tx);
  await sql`DELETE FROM telemetry_hour r ${ofHours(hours)}`.execute(tx);
  await insertMinutes(hours).execute(tx);
  await insertHours(hours).execute(tx);
}
