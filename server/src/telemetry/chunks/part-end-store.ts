import { sql } from "kysely";
import type { Tx } from "../../db/database.ts";
import { type DeviceHour, given, type HourSpan } from "./device-hours-store.ts";
import { LEAST_WIDTH, SHAPES } from "./shape-widths-store.ts";

/** Of what may be read at once a part gets this much where rows come evenly, so that a second attempt is seldom needed. */
const AIM = 0.75;

/**
 * Finds where a part of an hour ends whose rows take about `bytes`: at least half of that, and at most all, unless more rows have one time. Counts no more rows of
 * a span than are read at once, and counts seldom.
 *
 * @param known how much is before a time that is too early
 * @returns microseconds since 1970, later than that
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

/** What the rows of messages of a span take; where that is more than `most`, anything above it. */
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
