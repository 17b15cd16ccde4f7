import { type RawBuilder, sql } from "kysely";
import { TELEMETRY_RETENTIONS } from "../../access/access.ts";
import type { Db } from "../../db/database.ts";
import type { MetricValue } from "../reading.ts";

/** The metric of a device whose readings are read. */
export interface MetricOfDevice {
  deviceUid: string;
  metric: string;
}

/**
 * A page of its readings: the first `limit` of [from, to), microseconds since 1970, in this order. Without a metric it
 * is a page of messages of the device, one per time; the value is then any metric's.
 */
export interface PageQuery extends Omit<MetricOfDevice, "metric"> {
  metric: string | null;
  from: number;
  to: number;
  order: "ASC" | "DESC";
  limit: number;
}

/** A reading. Times are microseconds since 1970. */
export interface PageReading {
  time: number;
  /** When several readings share a timestamp, the one with the highest sequence number wins. */
  seq: number;
  value: MetricValue;
  receivedAt: number;
  timeReplaced: boolean;
}

/** A planner fence. Each shape then gets an index scan, whatever size the planner estimates for the tables. */
export const ALONE = sql`OFFSET 0`;

/**
 * Queries the shapes with a metric, or all: `shape_no`, `kinds`, `time_replaced`, `is_number`, the metric's `place` and
 * its `text_place` among the texts.
 */
export function shapesWith({ deviceUid, metric }: Pick<PageQuery, "deviceUid" | "metric">): RawBuilder<unknown> {
  const place = metric === null ? sql`1` : sql`array_position(metrics, ${metric}::text)`;
  return sql`
      SELECT f.*, f.place - length(rtrim(f.kinds, 't')) AS text_place, substr(f.kinds, f.place, 1) = 'n' AS is_number
        FROM (SELECT shape_no, kinds, time_replaced, ${place} AS place
                FROM telemetry_shapes WHERE device_uid = ${deviceUid}::uuid ${ALONE}) f
       WHERE f.place IS NOT NULL ${ALONE}`;
}

interface Row {
  time: number;
  seq: number;
  number: number | null;
  flag: boolean | null;
  text: string | null;
  received: number;
  time_replaced: boolean;
  is_repeated: boolean;
}

/** The maximum number of rows per shape and time: one for each retention under which they were stored. */
const MOST_OF_A_TIME = TELEMETRY_RETENTIONS.length;

/**
 * Reads the first readings of a page from message rows. The highest `seq` wins a shared time. If several rows share a
 * time, the rows of a shape may end before the page does; then more are read.
 */
export async function pageOfRows(db: Db, query: PageQuery): Promise<PageReading[]> {
  const rows = await selectRows(db, query, query.limit);
  const all = rows[0]?.is_repeated ? await selectRows(db, query, query.limit * MOST_OF_A_TIME) : rows;
  return all.map(({ time, seq, number, flag, text, received, time_replaced }) => ({
    time,
    seq,
    value: (number ?? flag ?? text) as MetricValue,
    receivedAt: received,
    timeReplaced: time_replaced,
  }));
}

/**
 * Selects rows. The query is planned for these times, so that only their partitions are read. @param most the maximum
 * number of rows to read per shape
 */
async function selectRows(db: Db, query: PageQuery, most: number): Promise<Row[]> {
  const { deviceUid, metric, from, to, limit } = query;
  const byTime = sql.raw(query.order);
  const tail = sql`ORDER BY ts ${byTime} LIMIT ${most}::integer`;
  const within = (time: RawBuilder<unknown>) => sql`
    ${time} >= to_timestamp(${from}::float8 / 1e6) AND ${time} < to_timestamp(${to}::float8 / 1e6)`;
  const us = (time: string) => sql`(extract(epoch FROM ${sql.ref(time)}) * 1000000)::float8`;
  const { rows } = await sql<Row>`
    SELECT ${us("p.ts")} AS time, p.seq::float8 AS seq, p.number, p.flag, p.text, ${us("p.received_at")} AS received, p.time_replaced,
           p.found >= ${most}::integer AND p.found > count(*) OVER () AS is_repeated
      FROM (
      SELECT DISTINCT ON (r.ts) r.* FROM (
        SELECT x.*, count(*) OVER () AS found FROM (${shapesWith({ deviceUid, metric })}) s
         CROSS JOIN LATERAL (
          SELECT m.ts, m.seq, CASE WHEN s.is_number THEN m.numbers[s.place] END AS number,
                 CASE WHEN NOT s.is_number THEN m.numbers[s.place] = 1 END AS flag, m.texts[s.text_place] AS text,
                 coalesce(m.received_at, m.ts) AS received_at, s.time_replaced
            FROM telemetry_messages m WHERE m.shape_no = s.shape_no AND ${within(sql`m.ts`)} ${tail}) x) r
       ORDER BY r.ts ${byTime}, r.seq DESC) p ORDER BY p.ts ${byTime} LIMIT ${limit}::integer`.execute(db);
  return rows;
}
