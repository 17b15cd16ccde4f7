import { type RawBuilder, sql } from "kysely";
import type { Db } from "../../db/database.ts";
import { runStatement, statement } from "../../db/statement.ts";
import { pageOf, readPage } from "../messages/metric-readings-store.ts";
import type { MetricValue } from "../reading.ts";
import type { ValueColumns } from "./latest-store.ts";

export interface ReadingRow extends ValueColumns {
  ts: Date;
  /** `ts` in microseconds since 1970. */
  us: string;
  received_at: Date;
  time_replaced: boolean;
}

/** One page of readings of [from, to). */
export interface ReadingRange {
  from: Date;
  to: Date;
  limit: number;
  /** Only readings before this, in microseconds since 1970. */
  beforeUs: number | undefined;
}

/** A page of readings, newest first. Planned for these times, so that only their partitions are read. */
export async function selectReadings(
  db: Db,
  deviceUid: string,
  metric: string,
  { from, to, limit, beforeUs }: ReadingRange,
): Promise<ReadingRow[]> {
  const within = (time: RawBuilder<unknown>) => sql`
    ${time} >= ${from}::timestamptz AND ${time} < least(${to}::timestamptz, to_timestamp(${beforeUs ?? null}::float8 / 1e6))`;
  const which = { deviceUid: sql`${deviceUid}::uuid`, metric: sql`${metric}::text`, within };
  return await readPage(limit, async (most) => {
    const page = pageOf(which, "DESC", { limit: sql`${limit}::integer`, most: sql`${most}::integer` });
    const { rows } = await sql<ReadingRow & { is_repeated: boolean }>`
    SELECT t.ts, (extract(epoch FROM t.ts) * 1000000)::bigint::text AS us, t.number, t.flag, t.text, t.received_at,
           t.time_replaced, t.is_repeated
      FROM (${page}) t ORDER BY t.ts DESC`.execute(db);
    return rows;
  });
}

/** Readings of one metric of a device in [from, to). */
export interface StoredReadings {
  deviceUid: string;
  metric: string;
  from: Date;
  to: Date;
  /** Only readings later than this, in microseconds since 1970; `-Infinity` for all. */
  after: number;
  limit: number;
}

/** `time` in microseconds since 1970. */
export interface StoredReading {
  time: number;
  value: MetricValue;
}

type StoredRow = ValueColumns & { time: number; is_repeated: boolean };

const selectStored = statement<StoredReadings & { most: number }, StoredRow>("stored-readings", (p) => {
  const within = (time: RawBuilder<unknown>) => sql`
      ${time} >= ${p.from}::timestamptz AND ${time} < ${p.to}::timestamptz AND ${time} > to_timestamp(${p.after}::float8 / 1e6)`;
  const which = { deviceUid: sql`${p.deviceUid}::uuid`, metric: sql`${p.metric}::text`, within };
  return sql`
  SELECT (extract(epoch FROM t.ts) * 1000000)::float8 AS time, t.number, t.flag, t.text, t.is_repeated
    FROM (${pageOf(which, "ASC", { limit: sql`${p.limit}::integer`, most: sql`${p.most}::integer` })}) t ORDER BY t.ts`;
});

/** The stored readings, oldest first. For features that read as the service; callers ask `listReadings`. */
export async function readStoredReadings(db: Db, which: StoredReadings): Promise<StoredReading[]> {
  const rows = await readPage(which.limit, (most) => runStatement(db, selectStored, { ...which, most }));
  return rows.map(({ time, number, flag, text }) => ({ time, value: (number ?? flag ?? text) as MetricValue }));
}
