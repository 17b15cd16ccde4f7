import { sql } from "kysely";
import { plainArray } from "../../db/array-literal.ts";
import type { Db, Tx } from "../../db/database.ts";
import { liftTimeLimit } from "../../db/time-limit.ts";
import { micros } from "../chunks/device-hours-store.ts";
import { DELAY, type DirtyHour, type MarkedHours } from "./dirty-hour-store.ts";

// An hour that is too large for one slice is computed in steps, one transaction each. Its mark records the progress,
// and whether a message was stored into it since the first step.

/** An hour that is computed in steps. */
export interface LargeHour extends DirtyHour {
  /** The time before which everything is done, in microseconds since 1970. */
  doneTo: number;
}

const LARGE_HOUR = sql`device_uid, hour, tenant_id, ${micros(sql`done_to`)} AS "doneTo"`;

/** Switches oversized hours to the stepwise roll-up. `tx` has locked their marks. */
export async function markLarge(tx: Tx, hours: readonly DirtyHour[]): Promise<void> {
  if (hours.length === 0) return;
  await sql`
    UPDATE roll_up_marks m SET done_to = m.hour
      FROM unnest(${plainArray(hours.map(({ device_uid }) => device_uid))}::text::uuid[],
                  ${plainArray(hours.map(({ hour }) => hour.toISOString()))}::text::timestamptz[]) AS d (device_uid, hour)
     WHERE m.device_uid = d.device_uid AND m.hour = d.hour`.execute(tx);
}

/** Lists the tenants with a due hour that is computed in steps. */
export async function listLargeTenants(db: Db, now: Date): Promise<string[]> {
  const { rows } = await sql<{ tenant_id: string }>`
    SELECT tenant_id FROM roll_up_marks WHERE done_to IS NOT NULL AND chunk_at <= ${now}
     GROUP BY tenant_id ORDER BY min(chunk_at)`.execute(db);
  return rows.map(({ tenant_id }) => tenant_id);
}

/**
 * Locks the mark of a tenant's hour that is due at `now` and computed in steps, unless other transactions have locked
 * all of them. Hours are taken one after the other, because the longer one takes, the more late messages require it to
 * be computed again.
 */
export async function lockLargeHour(tx: Tx, now: Date, tenantId: string): Promise<LargeHour | undefined> {
  await liftTimeLimit(tx);
  const { rows } = await sql<LargeHour>`
    SELECT ${LARGE_HOUR} FROM roll_up_marks
     WHERE done_to IS NOT NULL AND tenant_id = ${tenantId}::uuid AND chunk_at <= ${now}
     ORDER BY chunk_at, hour, device_uid LIMIT 1 FOR UPDATE SKIP LOCKED`.execute(tx);
  return rows[0];
}

/** Locks the mark of the earliest hour in a span of time, due or not, that is computed in steps. */
export async function lockLargeHourWithin(tx: Tx, { from, to, markedBy }: MarkedHours): Promise<LargeHour | undefined> {
  await liftTimeLimit(tx);
  const { rows } = await sql<LargeHour>`
    SELECT ${LARGE_HOUR} FROM roll_up_marks
     WHERE done_to IS NOT NULL AND hour >= ${from}::timestamptz AND hour < ${to}::timestamptz
       AND chunk_at <= ${markedBy}::timestamptz + ${DELAY}
     ORDER BY hour, device_uid LIMIT 1 FOR UPDATE SKIP LOCKED`.execute(tx);
  return rows[0];
}

/** Records the progress of an hour. The first step resets `is_late`, since it includes everything stored until then. */
export async function recordStep(tx: Tx, { device_uid, hour, doneTo }: LargeHour, to: number): Promise<void> {
  await sql`
    UPDATE roll_up_marks SET done_to = to_timestamp(${to}::float8 / 1e6), is_late = is_late AND ${doneTo > hour.getTime() * 1_000}::boolean
     WHERE device_uid = ${device_uid} AND hour = ${hour}`.execute(tx);
}

/**
 * Ends the last step by deleting the mark. If a message was stored since the first step, the hour is computed once more
 * instead.
 */
export async function endSteps(tx: Tx, { device_uid, hour, doneTo }: LargeHour, now: Date): Promise<void> {
  const isLate = sql`(is_late AND ${doneTo > hour.getTime() * 1_000}::boolean)`;
  const which = sql`device_uid = ${device_uid} AND hour = ${hour}`;
  await sql`DELETE FROM roll_up_marks WHERE ${which} AND NOT ${isLate}`.execute(tx);
  await sql`
    UPDATE roll_up_marks SET done_to = NULL, is_late = false, chunk_at = ${now}::timestamptz + ${DELAY}, failed_at = NULL
     WHERE ${which}`.execute(tx);
}
