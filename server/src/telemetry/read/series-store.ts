import { sql } from "kysely";
import { plainArray } from "../../db/array-literal.ts";
import type { Db } from "../../db/database.ts";
import { readStatement, statement } from "../../db/statement.ts";
import { eachNumber } from "../messages/metric-numbers-store.ts";
import type { MetricOfDevice } from "../messages/metric-readings-store.ts";
import { rowsOnlyFrom } from "../partitions/hot-days.ts";
import { type Bucket, Buckets } from "../roll-up/buckets.ts";
import { selectMinutes } from "./minutes-store.ts";
import { type SeriesRange, spansOf } from "./series-spans.ts";

const dirtyHours = statement<{ deviceUid: string; from: Date; to: Date }, { hour: Date }>(
  "dirty-hours-of-device",
  (p) => sql`
  SELECT m.hour FROM roll_up_marks m
   WHERE m.device_uid = ${p.deviceUid}::uuid AND m.hour > ${p.from}::timestamptz - interval '1 hour'
     AND m.hour < ${p.to}::timestamptz ORDER BY m.hour`,
);

/**
 * Selects the buckets of a series, oldest first. Whole hours or minutes come from their roll-ups, dirty hours and both
 * ends of the range from readings.
 *
 * The marks are read first. An hour that was dirty then is read from its readings, even if it has been computed since,
 * and any other from its roll-up. So each hour appears as it was at one of the moments of reading.
 */
export async function selectSeries(
  db: Db,
  deviceUid: string,
  metric: string,
  range: SeriesRange,
  now: Date,
): Promise<Bucket[]> {
  const { seconds, rolledUp } = range;
  const marks = rolledUp
    ? await readStatement(db, dirtyHours, { deviceUid, from: rolledUp.from, to: rolledUp.to })
    : [];
  const dirty = marks.map(({ hour }) => hour);
  const size = seconds * 1e6;
  const ofReadings = new Buckets(size);
  const [ofRollUps] = await Promise.all([
    rolledUp ? selectRollUps(db, { deviceUid, metric }, { seconds, rolledUp }, dirty) : [],
    eachNumber(
      db,
      { deviceUid, metric },
      { spans: spansOf(range, dirty), rowsOnlyFrom: rowsOnlyFrom(now) },
      (time, number) => ofReadings.add(time, number),
    ),
  ]);
  const buckets = new Buckets(size);
  for (const bucket of [...ofRollUps, ...ofReadings.all].sort((a, b) => a.at - b.at)) buckets.merge(bucket);
  return [...buckets.all];
}

type RolledUp = Pick<SeriesRange, "seconds"> & { rolledUp: NonNullable<SeriesRange["rolledUp"]> };

/** Selects the buckets of roll-ups, without those of dirty hours. */
async function selectRollUps(
  db: Db,
  which: MetricOfDevice,
  { seconds, rolledUp: { unit, from, to } }: RolledUp,
  dirty: readonly Date[],
): Promise<readonly Bucket[]> {
  if (unit === "minute") return await selectMinutes(db, which, { from, to, seconds }, dirty);
  const { rows } = await sql<Bucket>`
    SELECT (extract(epoch FROM date_bin(${seconds}::integer * interval '1 second', r.bucket, 'epoch')) * 1000000)::float8 AS at,
           min(r.lowest) AS lowest, max(r.highest) AS highest, sum(r.total) AS total, sum(r.readings)::float8 AS readings
      FROM telemetry_hour r
     WHERE r.device_uid = ${which.deviceUid} AND r.metric = ${which.metric}
       AND r.bucket >= ${from}::timestamptz AND r.bucket < ${to}::timestamptz
       AND r.bucket <> ALL (${plainArray(dirty.map((hour) => hour.toISOString()))}::text::timestamptz[])
     GROUP BY 1`.execute(db);
  return rows;
}
