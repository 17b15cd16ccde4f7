import { sql } from "kysely";
import type { Db } from "../../db/database.ts";
import { runStatement, statement } from "../../db/statement.ts";
import type { MetricValue } from "../reading.ts";

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

interface StoredReadingRow {
  time: number;
  number: number | null;
  flag: boolean | null;
  text: string | null;
}

const readings = statement<StoredReadings, StoredReadingRow>(
  "stored-readings",
  (p) => sql`
  SELECT (extract(epoch FROM t.ts) * 1000000)::float8 AS time, t.number, t.flag, t.text FROM telemetry t
   WHERE t.device_uid = ${p.deviceUid}::uuid AND t.metric = ${p.metric}::text
     AND t.ts >= ${p.from}::timestamptz AND t.ts < ${p.to}::timestamptz
     AND t.ts > to_timestamp(${p.after}::float8 / 1e6)
   ORDER BY t.ts LIMIT ${p.limit}::integer`,
);

/** The stored readings, oldest first. For features that read as the service; callers ask `readings`. */
export async function readStoredReadings(db: Db, which: StoredReadings): Promise<StoredReading[]> {
  const rows = await runStatement(db, readings, which);
  return rows.map(({ time, number, flag, text }) => ({ time, value: (number ?? flag ?? text) as MetricValue }));
}
