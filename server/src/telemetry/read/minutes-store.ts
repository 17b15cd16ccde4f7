import { sql } from "kysely";
import { plainArray } from "../../db/array-literal.ts";
import type { Db } from "../../db/database.ts";
import { DAY, HOUR } from "../../lib/clock.ts";
import { micros } from "../chunks/device-hours-store.ts";
import { ALONE, type MetricOfDevice, shapesWith } from "../messages/metric-readings-store.ts";
import { type Bucket, Buckets } from "../roll-up/buckets.ts";
import { decodeMinutes } from "../roll-up/minutes-codec.ts";
import type { Span } from "./series-spans.ts";

/** The time range whose minutes are decoded before other work of this process gets its turn; takes some 5 ms. */
const SLICE_MS = 10 * DAY;

/**
 * Selects the buckets made of the minutes in [from, to), without those of dirty hours. A bucket may occur several
 * times.
 *
 * @param seconds the size of a bucket
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
    addMinutes(buckets, await select(db, which, { from: new Date(first), to: new Date(past) }, dirty), {
      from: first * 1_000,
      to: past * 1_000,
    });
    first = past;
  }
  return buckets.all;
}

/** The minutes of a metric in a chunk, and the chunk's hour in microseconds since 1970. */
interface ChunkMinutes {
  hour: number;
  minutes: Buffer;
}

function addMinutes(
  buckets: Buckets,
  found: readonly ChunkMinutes[],
  { from, to }: { from: number; to: number },
): void {
  for (const { hour, minutes } of found) {
    for (const minute of decodeMinutes(minutes, hour)) {
      if (minute.at >= from && minute.at < to) buckets.merge(minute);
    }
  }
}

/** Selects the minutes of all hours that overlap the span, except dirty ones. */
async function select(
  db: Db,
  which: MetricOfDevice,
  { from, to }: Span,
  dirty: readonly Date[],
): Promise<ChunkMinutes[]> {
  const [first, past] = [
    new Date(Math.floor(from.getTime() / HOUR) * HOUR),
    new Date(Math.ceil(to.getTime() / HOUR) * HOUR),
  ];
  const hours = plainArray(dirty.map((hour) => hour.toISOString()));
  const hour = sql`date_bin('1 hour', k.ts, 'epoch')`;
  const { rows } = await sql<ChunkMinutes>`
    SELECT ${micros(hour)} AS hour, substr(k.minutes, k.first + 1, k.past - k.first) AS minutes
      FROM (${shapesWith(which)}) s
     CROSS JOIN LATERAL (
      SELECT k.ts, k.minutes, coalesce(k.minute_ends[s.place - 1], 0) AS first, k.minute_ends[s.place] AS past FROM telemetry_chunks k
       WHERE k.shape_no = s.shape_no AND s.is_number AND k.ts >= ${first}::timestamptz AND k.ts < ${past}::timestamptz
         AND ${hour} <> ALL (${hours}::text::timestamptz[]) ${ALONE}) k
     WHERE k.past > k.first`.execute(db);
  return rows;
}
