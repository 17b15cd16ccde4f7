import { sql } from "kysely";
import type { Tx } from "../../db/database.ts";
import { type DeviceHour, given, spansOf } from "./device-hours-store.ts";
import { doublesOf, timesOf } from "./packed-columns.ts";

/** Numbers of one metric in the form of before schema 60; NaN for a value that is none. */
export interface EarlierNumbers {
  which: number;
  metric: string;
  retentionDays: number;
  /** In order, microseconds since 1970. */
  times: Float64Array;
  numbers: Float64Array;
}

type PackedEarlier = { which: number; metric: string; retention_days: number; times: Buffer; numbers: Buffer };

/** The numbers that devices have in these hours in the form of before schema 60. They stay in it, and are in no chunk. */
export async function loadEarlier(tx: Tx, hours: readonly DeviceHour[]): Promise<EarlierNumbers[]> {
  const { rows: c, within } = given(hours, spansOf(hours));
  const { rows } = await sql<PackedEarlier>`
    SELECT c.which, t.* FROM ${c} CROSS JOIN LATERAL (
      SELECT t.metric, t.retention_days, string_agg(timestamptz_send(t.ts), '' ORDER BY t.ts) AS times,
             string_agg(float8send(coalesce(t.number, 'NaN')), '' ORDER BY t.ts) AS numbers
        FROM telemetry t WHERE t.device_uid = c.device_uid AND ${within(sql`t.ts`)} GROUP BY 1, 2) t`.execute(tx);
  return rows.map((row) => ({
    which: row.which,
    metric: row.metric,
    retentionDays: row.retention_days,
    times: timesOf(row.times),
    numbers: doublesOf(row.numbers),
  }));
}
