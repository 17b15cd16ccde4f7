import { sql } from "kysely";
import type { Tx } from "../../db/database.ts";
import { type DeviceHour, given, type HourSpan } from "./device-hours-store.ts";
import { LEAST_WIDTH, SHAPES } from "./shape-widths-store.ts";

/** The fraction of the maximum size to aim for. If rows come evenly, a second attempt is seldom needed. */
const AIM = 0.75;

/**
 * Finds the end of a slice of an hour whose rows take about `bytes`: between half and all of that, unless a single time
 * has more rows. Counts no more rows of a span than are read at once, and seldom counts more than once.
 *
 * @param known the size of the rows before a time that is too early
 * @returns a later time, in microseconds since 1970
 */
export async function findEnd(
  tx: Tx,
  hours: readonly DeviceHour[],
  span: HourSpan,
  bytes: number,
  known: { end: number; bytes: number },
): Promise<number> {
  const weigh = (to: number) => bytesOf(tx, hours, { ...span, to }, bytes);
  if ((await weigh(span.to)) <= bytes) return span.to;
  let [low, lowBytes, high] = [known.end, known.bytes, span.to];
  while (high - low > 1) {
    const guess = Math.max(low + 1, span.from + Math.floor(((low - span.from) * AIM * bytes) / lowBytes));
    const to = guess < high ? guess : Math.floor((low + high) / 2);
    const found = await weigh(to);
    if (found > bytes) high = to;
    else if (found >= bytes / 2) return to;
    else [low, lowBytes] = [to, found];
  }
  return low;
}

/** Returns the size of a span's message rows. Above `most`, the result is only a lower bound that exceeds `most`. */
async function bytesOf(tx: Tx, hours: readonly DeviceHour[], span: HourSpan, most: number): Promise<number> {
  const { rows: c, within } = given(hours, [span]);
  const limit = sql.lit(Math.ceil(most / LEAST_WIDTH) + 1);
  const { rows } = await sql<{ bytes: number }>`
    SELECT coalesce(sum(width), 0)::float8 AS bytes FROM (
      SELECT s.width FROM ${c} JOIN ${SHAPES} s ON s.device_uid = c.device_uid
       CROSS JOIN LATERAL (SELECT FROM telemetry_messages m WHERE m.shape_no = s.shape_no AND ${within(sql`m.ts`)} LIMIT ${limit}) m
       LIMIT ${limit}) w`.execute(tx);
  return rows[0]!.bytes;
}
