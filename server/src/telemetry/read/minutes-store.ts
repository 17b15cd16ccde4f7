import { type RawBuilder, sql } from "kysely";
import { plainArray } from "../../db/array-literal.ts";
import type { Db } from "../../db/database.ts";
import { DAY, HOUR } from "../../lib/clock.ts";
import { micros } from "../chunks/device-hours-store.ts";
import { ALONE, type MetricOfDevice, shapesWith } from "../messages/metric-readings-store.ts";
import { type Bucket, Buckets } from "../roll-up/buckets.ts";
import { decodeMinutes } from "../roll-up/minutes-codec.ts";
import type { Span } from "./series-spans.ts";

/** What is decoded before other work of this process has its turn: minutes of so much time take some 5 ms. */
const SLICE_MS = 10 * DAY;

/**
 * The buckets that consist of the minutes of [from, to), without those of dirty hours. A bucket may be several times among them.
 *
 * @param seconds of a bucket
 */
export async function selectMinutes(
  db: Db,
  which: MetricOfDevice,
  { from, to, seconds }: Span & { seconds: number },
  dirty: readonly Date[],
): Promise<readonly Bucket[]> {
  const buckets = new Buckets(seconds * 1e6);
  for (let first = from.getTime(); first < to.getTime(); ) {
    const past = Math.min(to.getTime(), Math.floor((first + SLICE_MS) / HOUR) * HOUR);
    addMinutes(buckets, await select(db, which, { from: new Date(first), to: new Date(past), seconds }, dirty), {
      from: first * 1_000,
      to: past * 1_000,
    });
    first = past;
  }
  return buckets.all;
}

/** What an hour has in rows of the bucket that begins at `at`, or what a chunk of it has. Times are microseconds since 1970. */
type Found = { hour: number } & ((Bucket & { isWithin: boolean; minutes: null }) | { minutes: Buffer });

function addMinutes(buckets: Buckets, found: readonly Found[], { from, to }: { from: number; to: number }): void {
  const inRows = new Set(found.filter(({ minutes }) => minutes === null).map(({ hour }) => hour));
  for (const row of found) {
    if (row.minutes === null) {
      if (row.isWithin) buckets.merge(row);
    } else if (!inRows.has(row.hour)) {
      for (const minute of decodeMinutes(row.minutes, row.hour)) {
        if (minute.at >= from && minute.at < to) buckets.merge(minute);
      }
    }
  }
}

/**
 * Of hours that have rows, the rows count, which may be of an earlier process, and otherwise what their chunks have: in one statement, since an hour may go from
 * one form to the other meanwhile. Rows of whole hours tell which these are.
 */
async function select(
  db: Db,
  which: MetricOfDevice,
  { from, to, seconds }: Span & { seconds: number },
  dirty: readonly Date[],
): Promise<Found[]> {
  const [first, past] = [
    new Date(Math.floor(from.getTime() / HOUR) * HOUR),
    new Date(Math.ceil(to.getTime() / HOUR) * HOUR),
  ];
  const hours = plainArray(dirty.map((hour) => hour.toISOString()));
  const hourOf = (time: RawBuilder<unknown>) => sql`date_bin('1 hour', ${time}, 'epoch')`;
  const isRead = (time: RawBuilder<unknown>) => sql`
    ${time} >= ${first}::timestamptz AND ${time} < ${past}::timestamptz AND ${hourOf(time)} <> ALL (${hours}::text::timestamptz[])`;
  const { rows } = await sql<Found>`
    SELECT ${micros(hourOf(sql`r.bucket`))} AS hour,
           ${micros(sql`date_bin(${seconds}::integer * interval '1 second', r.bucket, 'epoch')`)} AS at,
           r.bucket >= ${from}::timestamptz AND r.bucket < ${to}::timestamptz AS "isWithin", min(r.lowest) AS lowest,
           max(r.highest) AS highest, sum(r.total) AS total, sum(r.readings)::float8 AS readings, NULL::bytea AS minutes
      FROM telemetry_minute r
     WHERE r.device_uid = ${which.deviceUid}::uuid AND r.metric = ${which.metric}::text AND ${isRead(sql`r.bucket`)}
     GROUP BY 1, 2, 3
    UNION ALL
    SELECT ${micros(hourOf(sql`k.ts`))}, NULL, NULL, NULL, NULL, NULL, NULL, substr(k.minutes, k.first + 1, k.past - k.first)
      FROM (${shapesWith(which)}) s
     CROSS JOIN LATERAL (
      SELECT k.ts, k.minutes, coalesce(k.minute_ends[s.place - 1], 0) AS first, k.minute_ends[s.place] AS past FROM telemetry_chunks k
       WHERE k.shape_no = s.shape_no AND s.is_number AND ${isRead(sql`k.ts`)} ${ALONE}) k
     WHERE k.past > k.first`.execute(db);
  return rows;
}
