import { sql } from "kysely";
import { plainArray } from "../../db/array-literal.ts";
import type { Db } from "../../db/database.ts";
import { runStatement, statement } from "../../db/statement.ts";

/** The maximum number of devices that one statement adds to the checks. */
const DEVICES_OF_TYPE = 5_000;

/** Leases checks. `ANY (ARRAY(…))` forces an index lookup per row, whatever the planner expects of the limit. */
const lease = statement<{ now: Date; leasedUntil: Date; limit: number }, { uid: string }>(
  "lease-silence-checks",
  (p) => sql`
  UPDATE silence_checks c SET due_at = ${p.leasedUntil}::timestamptz
   WHERE c.device_uid = ANY (ARRAY(
     SELECT device_uid FROM silence_checks WHERE due_at <= ${p.now}::timestamptz
      ORDER BY due_at LIMIT ${p.limit}::integer FOR UPDATE SKIP LOCKED))
   RETURNING c.device_uid AS uid`,
);

/**
 * Leases up to `limit` due checks until `leasedUntil`, after which they are due again unless rescheduled. @returns the
 * devices
 */
export async function leaseChecks(
  db: Db,
  { now, leasedUntil }: { now: Date; leasedUntil: Date },
  limit: number,
): Promise<string[]> {
  return (await runStatement(db, lease, { now, leasedUntil, limit })).map(({ uid }) => uid);
}

/** The next check of a device's silence, in PostgreSQL's time format; `undefined` for none until something changes. */
export interface NextCheck {
  uid: string;
  at: string | undefined;
}

const putOff = statement<{ uids: string; times: string; leasedUntil: Date }, never>(
  "put-off-silence-checks",
  (p) => sql`
  WITH next AS MATERIALIZED (
    SELECT c.device_uid, u.at FROM unnest(${p.uids}::text::uuid[], ${p.times}::text::timestamptz[]) AS u (uid, at)
      JOIN silence_checks c ON c.device_uid = u.uid AND c.due_at = ${p.leasedUntil}::timestamptz
     ORDER BY c.device_uid FOR UPDATE OF c
  ), ended AS (
    DELETE FROM silence_checks c USING next n WHERE c.device_uid = n.device_uid AND n.at IS NULL
  )
  UPDATE silence_checks c SET due_at = n.at FROM next n WHERE c.device_uid = n.device_uid AND n.at IS NOT NULL`,
);

/** Ends a lease by rescheduling its checks. A device that has become due immediately in the meantime stays so. */
export async function putOffChecks(db: Db, next: readonly NextCheck[], leasedUntil: Date): Promise<void> {
  const uids = plainArray(next.map(({ uid }) => uid));
  const times = plainArray(next.map(({ at }) => (at === undefined ? undefined : `"${at}"`)));
  await runStatement(db, putOff, { uids, times, leasedUntil });
}

const addDevices = statement<{ limit: number }, { added: number }>(
  "check-silence-of-types",
  (p) => sql`
  WITH type AS MATERIALIZED (
    SELECT device_type_id, after_uid FROM silence_rechecks ORDER BY device_type_id LIMIT 1 FOR UPDATE SKIP LOCKED
  ), found AS MATERIALIZED (
    SELECT d.uid FROM type t
      JOIN shared_device_types y ON y.id = t.device_type_id
     CROSS JOIN LATERAL (
       SELECT uid FROM shared_devices WHERE tenant_id = y.tenant_id AND device_type_id = y.id AND deleted_at IS NULL AND uid > t.after_uid
        ORDER BY uid LIMIT ${p.limit}::integer) d
  ), added AS (
    INSERT INTO silence_checks SELECT uid, '-infinity' FROM found ON CONFLICT (device_uid) DO UPDATE SET due_at = excluded.due_at
  ), moved AS (
    UPDATE silence_rechecks r SET after_uid = (SELECT uid FROM found ORDER BY uid DESC LIMIT 1)
      FROM type t WHERE r.device_type_id = t.device_type_id AND (SELECT count(*) FROM found) = ${p.limit}::integer
  ), ended AS (
    DELETE FROM silence_rechecks r USING type t
     WHERE r.device_type_id = t.device_type_id AND (SELECT count(*) FROM found) < ${p.limit}::integer
  )
  SELECT 1 AS added FROM type`,
);

/** Schedules checks for the next devices of a type whose limit has changed. @returns whether there may be more */
export async function recheckType(db: Db): Promise<boolean> {
  return (await runStatement(db, addDevices, { limit: DEVICES_OF_TYPE })).length > 0;
}
