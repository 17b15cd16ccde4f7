import { type RawBuilder, sql } from "kysely";
import { plainArray } from "../../db/array-literal.ts";
import type { Db, Tx } from "../../db/database.ts";
import { type Parameters, runStatement, statement } from "../../db/statement.ts";
import { liftTimeLimit } from "../../db/time-limit.ts";
import { addMs } from "../../lib/clock.ts";
import type { DirtyHours } from "./dirty-hours.ts";

// The table roll_up_marks has a row for every dirty hour: some or all of its messages are in no chunk yet.

/**
 * The delay from the end of an hour, or from its mark if that is later, to its computation. Most late readings arrive
 * in this time.
 */
export const DELAY = sql`interval '2 minutes'`;

/** A span of time whose hours are to be computed, due or not, unless they were marked after `markedBy`. */
export interface MarkedHours {
  from: Date;
  to: Date;
  markedBy: Date;
}

/** The parameters of {@link insertDirtyHours}: array literals, and seconds since 1970. */
export interface DirtyHourValues {
  dirtyUids: string;
  dirtyHours: string;
  nowSeconds: string;
}

export function dirtyHourValues({ deviceUids, hours }: DirtyHours, nowMs: number): DirtyHourValues {
  return { dirtyUids: plainArray(deviceUids), dirtyHours: plainArray(hours), nowSeconds: String(nowMs / 1000) };
}

/**
 * Marks hours as dirty. An existing row is locked until the commit even if the update changes nothing, so that no
 * process computes the hour without the new readings. An hour being computed in steps will be computed once more. Fires
 * `roll_up_marks_of_tenant`.
 */
export function insertDirtyHours(p: Parameters<DirtyHourValues>): RawBuilder<unknown> {
  return sql`INSERT INTO roll_up_marks AS k (device_uid, hour, chunk_at)
  SELECT u.device_uid, to_timestamp(u.hour * 3600),
         greatest(to_timestamp(u.hour * 3600 + 3600), to_timestamp(${p.nowSeconds}::text::float8)) + ${DELAY}
    FROM unnest(${p.dirtyUids}::text::uuid[], ${p.dirtyHours}::text::float8[]) AS u (device_uid, hour) ORDER BY 1, 2
  ON CONFLICT (device_uid, hour) DO UPDATE SET is_late = true WHERE k.done_to IS NOT NULL AND NOT k.is_late`;
}

const insertMarks = statement<DirtyHourValues, object>("mark-dirty-hours", insertDirtyHours);

/** Marks hours as dirty in a separate commit. */
export async function markDirty(db: Db, dirtyHours: DirtyHours, nowMs: number): Promise<void> {
  await runStatement(db, insertMarks, dirtyHourValues(dirtyHours, nowMs));
}

/**
 * Locks the marks of these hours until `tx` ends.
 *
 * @returns whether one of the hours is between two steps
 * @throws with SQLSTATE 55P03 if another process is computing one of them
 */
export async function lockMarks(tx: Tx, { deviceUids, hours }: DirtyHours): Promise<boolean> {
  const { rows } = await sql<{ inSteps: boolean }>`
    SELECT m.done_to IS NOT NULL AND m.failed_at IS NULL AS "inSteps" FROM roll_up_marks m
      JOIN unnest(${plainArray(deviceUids)}::text::uuid[], ${plainArray(hours)}::text::float8[]) AS u (device_uid, hour)
        ON m.device_uid = u.device_uid AND m.hour = to_timestamp(u.hour * 3600)
       FOR KEY SHARE OF m NOWAIT`.execute(tx);
  return rows.some(({ inSteps }) => inSteps);
}

export interface DirtyHour {
  device_uid: string;
  hour: Date;
  tenant_id: string;
}

/**
 * Lists up to `limit` tenants with hours due at `now`, the longest-overdue tenant first. Costs one index lookup per
 * tenant, however many hours they have.
 */
export async function listDueTenants(db: Db, now: Date, limit: number): Promise<string[]> {
  const { rows } = await sql<{ tenant_id: string }>`
    WITH RECURSIVE earliest AS (
      (SELECT tenant_id, chunk_at FROM roll_up_marks ORDER BY tenant_id, chunk_at LIMIT 1)
      UNION ALL
      SELECT m.* FROM earliest e CROSS JOIN LATERAL (
        SELECT tenant_id, chunk_at FROM roll_up_marks
         WHERE tenant_id > e.tenant_id ORDER BY tenant_id, chunk_at LIMIT 1) m)
    SELECT tenant_id FROM earliest WHERE chunk_at <= ${now} ORDER BY chunk_at LIMIT ${limit}`.execute(db);
  return rows.map(({ tenant_id }) => tenant_id);
}

/**
 * Locks up to `limit` due marks per tenant, for computing their hours in `tx`. Skips hours that are computed in steps
 * and marks locked by other transactions.
 */
export async function lockDirtyHours(
  tx: Tx,
  now: Date,
  tenants: readonly string[],
  limit: number,
): Promise<DirtyHour[]> {
  // An hour may contain any number of readings.
  await liftTimeLimit(tx);
  const { rows } = await sql<DirtyHour>`
    SELECT d.* FROM unnest(${plainArray(tenants)}::text::uuid[]) AS t (id) CROSS JOIN LATERAL (
      SELECT device_uid, hour, tenant_id FROM roll_up_marks
       WHERE tenant_id = t.id AND chunk_at <= ${now} AND done_to IS NULL ORDER BY chunk_at LIMIT ${limit} FOR UPDATE SKIP LOCKED) d`.execute(
    tx,
  );
  return rows;
}

/** Locks up to `limit` marks of a span of time, due or not; skips the same marks as {@link lockDirtyHours}. */
export async function lockHoursWithin(
  tx: Tx,
  { from, to, markedBy }: MarkedHours,
  limit: number,
): Promise<DirtyHour[]> {
  await liftTimeLimit(tx);
  const { rows } = await sql<DirtyHour>`
    SELECT device_uid, hour, tenant_id FROM roll_up_marks
     WHERE hour >= ${from}::timestamptz AND hour < ${to}::timestamptz AND chunk_at <= ${markedBy}::timestamptz + ${DELAY} AND done_to IS NULL
     ORDER BY hour LIMIT ${limit} FOR UPDATE SKIP LOCKED`.execute(tx);
  return rows;
}

/** Locks the mark of an hour. @returns whether it exists and no other transaction has locked it */
export async function lockHour(tx: Tx, { device_uid, hour }: DirtyHour): Promise<boolean> {
  await liftTimeLimit(tx);
  const { rows } = await sql`
    SELECT FROM roll_up_marks WHERE device_uid = ${device_uid} AND hour = ${hour} FOR UPDATE SKIP LOCKED`.execute(tx);
  return rows.length > 0;
}

/** Deletes marks that `tx` has locked, of hours that it has computed. */
export async function deleteMarks(tx: Tx, hours: readonly DirtyHour[]): Promise<void> {
  if (hours.length === 0) return;
  await sql`
    DELETE FROM roll_up_marks m
     USING unnest(${plainArray(hours.map(({ device_uid }) => device_uid))}::text::uuid[],
                  ${plainArray(hours.map(({ hour }) => hour.toISOString()))}::text::timestamptz[]) AS d (device_uid, hour)
     WHERE m.device_uid = d.device_uid AND m.hour = d.hour`.execute(tx);
}

/** Delays an hour that cannot be computed, so that it does not block the others of its tenant. */
export async function postponeHour(db: Db, { device_uid, hour }: DirtyHour, now: Date, waitMs: number): Promise<void> {
  await sql`
    UPDATE roll_up_marks SET chunk_at = ${addMs(now, waitMs)}, failed_at = coalesce(failed_at, ${now}::timestamptz)
     WHERE (device_uid, hour) IN (
       SELECT device_uid, hour FROM roll_up_marks
        WHERE device_uid = ${device_uid} AND hour = ${hour} FOR UPDATE SKIP LOCKED)`.execute(db);
}

/** Counts the dirty hours that are due, and those that have failed. */
export async function countDue(db: Db, now: Date): Promise<{ due: number; failed: number }> {
  const { rows } = await sql<{ due: number; failed: number }>`
    SELECT (SELECT count(*)::int FROM roll_up_marks WHERE chunk_at <= ${now}) AS due,
           (SELECT count(*)::int FROM roll_up_marks WHERE failed_at IS NOT NULL) AS failed`.execute(db);
  return rows[0]!;
}
