import { sql } from "kysely";
import { type Db, runPrepared, type Tx } from "../../db/database.ts";
import type { RecordedChange } from "../../events/events.ts";
import type { Notify, PagedGroup } from "./recipients.ts";

export interface PageRow {
  tenant_id: string;
  anomaly_id: string;
  group_id: string;
  after_minutes: number;
  notify: Notify;
  due_at: Date;
}

export type PageState = "paged" | "nobody" | "stopped" | "late";

export interface AnomalyRow {
  id: string;
  tenant_id: string;
  device_id: string;
  device_name: string;
  metric: string | null;
  value: unknown;
  breached: unknown;
  severity: string;
  status: "open" | "acknowledged" | "resolved";
  message: string;
  opened_at: Date;
  resolved_at: Date | null;
  resolved_by: string | null;
}

const ANYTHING = `
SELECT EXISTS (SELECT FROM notification_inbox) OR EXISTS (SELECT FROM pages WHERE state = 'due' AND due_at <= $1)
    OR EXISTS (SELECT FROM deliveries WHERE state = 'pending' AND next_at <= $1) AS due`;

/** Whether there is anything to do: what an idle process asks every second. */
export async function isAnythingDue(db: Db, now: Date): Promise<boolean> {
  const rows = await runPrepared<{ due: boolean }>(db, "notifications-due", ANYTHING, [now]);
  return rows[0]!.due;
}

/** Takes what no other process is taking out of the inbox, oldest first; it is back there if the transaction fails. */
export async function takeInbox(tx: Tx, limit: number): Promise<RecordedChange[]> {
  const { rows } = await sql<RecordedChange>`
    WITH taken AS (
      DELETE FROM notification_inbox WHERE seq IN (
        SELECT seq FROM notification_inbox ORDER BY seq LIMIT ${limit} FOR UPDATE SKIP LOCKED)
      RETURNING seq, changed_table, operation, changed_row
    ) SELECT changed_table AS "table", operation, changed_row AS "row" FROM taken ORDER BY seq`.execute(tx);
  return rows;
}

/** Plans the steps of the groups of each anomaly's device, as they are now. */
export async function planPages(tx: Tx, anomalyIds: string[]): Promise<void> {
  await sql`
    INSERT INTO pages (tenant_id, anomaly_id, group_id, after_minutes, notify, due_at)
    SELECT a.tenant_id, a.id, g.id, s.after_minutes, s.notify, a.opened_at + make_interval(mins => s.after_minutes)
      FROM anomalies a JOIN device_groups d ON d.device_uid = a.device_uid JOIN groups g ON g.id = d.group_id
     CROSS JOIN LATERAL jsonb_to_recordset(g.escalation) AS e ("afterMinutes" integer, notify text)
     CROSS JOIN LATERAL (SELECT e."afterMinutes" AS after_minutes, e.notify) s
     WHERE a.id = ANY (${anomalyIds}::uuid[]) AND a.status = 'open'
    ON CONFLICT DO NOTHING`.execute(tx);
}

/** Takes the steps off that nobody needs to wait for; the looking at a due one decides all the same. */
export async function stopPages(tx: Tx, anomalyIds: string[]): Promise<void> {
  await sql`UPDATE pages SET state = 'stopped' WHERE anomaly_id = ANY (${anomalyIds}::uuid[]) AND state = 'due'`.execute(
    tx,
  );
}

/** Pages that are due and that no other process is at, locked. */
export async function duePages(tx: Tx, now: Date, limit: number): Promise<PageRow[]> {
  const { rows } = await sql<PageRow>`
    SELECT tenant_id, anomaly_id, group_id, after_minutes, notify, due_at FROM pages
     WHERE state = 'due' AND due_at <= ${now} ORDER BY due_at LIMIT ${limit} FOR UPDATE SKIP LOCKED`.execute(tx);
  return rows;
}

export async function markPages(tx: Tx, pages: readonly PageRow[], state: PageState): Promise<void> {
  if (pages.length === 0) return;
  await sql`
    UPDATE pages p SET state = ${state}
      FROM unnest(${pages.map((page) => page.anomaly_id)}::uuid[], ${pages.map((page) => page.group_id)}::uuid[],
                  ${pages.map((page) => page.after_minutes)}::integer[]) AS m (anomaly_id, group_id, after_minutes)
     WHERE p.anomaly_id = m.anomaly_id AND p.group_id = m.group_id AND p.after_minutes = m.after_minutes`.execute(tx);
}

/**
 * The anomalies, held as they are until the commit: nobody acknowledges or resolves one between the look at it and the
 * page. In the order in which ingest locks them.
 */
export async function holdAnomalies(tx: Tx, ids: string[]): Promise<AnomalyRow[]> {
  await sql`SELECT FROM anomalies WHERE id = ANY (${ids}::uuid[]) ORDER BY device_uid, rule_id, id FOR SHARE`.execute(
    tx,
  );
  return await readAnomalies(tx, ids);
}

export async function readAnomalies(db: Db, ids: string[]): Promise<AnomalyRow[]> {
  const { rows } = await sql<AnomalyRow>`
    SELECT a.id, a.tenant_id, a.device_id, d.name AS device_name, a.metric, a.value, a.breached, a.severity, a.status,
           a.message, a.opened_at, a.resolved_at, a.resolved_by
      FROM anomalies a JOIN devices d ON d.uid = a.device_uid WHERE a.id = ANY (${ids}::uuid[])`.execute(db);
  return rows;
}

/** The groups with the people who can be told. Deactivated and deleted users are told nothing. */
export async function readGroups(db: Db, tenantId: string | null, ids: string[]): Promise<PagedGroup[]> {
  const { rows } = await sql<PagedGroup>`
    SELECT g.id, g.name, g.channels, g.escalation,
      (SELECT coalesce(jsonb_agg(jsonb_build_object('id', u.id, 'email', u.email) ORDER BY u.id), '[]')
         FROM group_members m JOIN users u ON u.id = m.user_id
        WHERE m.group_id = g.id AND u.deleted_at IS NULL AND u.status = 'active') AS members,
      (SELECT coalesce(jsonb_agg(jsonb_build_object('id', s.id, 'name', s.name, 'timeZone', s.time_zone,
                'startTime', s.start_time, 'endTime', s.end_time, 'daysOfWeek', s.days_of_week,
                'validFrom', s.valid_from, 'validUntil', s.valid_until, 'users', (
                  SELECT coalesce(jsonb_agg(jsonb_build_object('id', u.id, 'email', u.email) ORDER BY u.id), '[]')
                    FROM shift_users m JOIN users u ON u.id = m.user_id
                   WHERE m.shift_id = s.id AND u.deleted_at IS NULL AND u.status = 'active')) ORDER BY s.id), '[]')
         FROM group_shifts gs JOIN shifts s ON s.id = gs.shift_id WHERE gs.group_id = g.id) AS shifts
      FROM groups g WHERE g.id = ANY (${ids}::uuid[]) AND (${tenantId}::uuid IS NULL OR g.tenant_id = ${tenantId})
     ORDER BY g.id`.execute(db);
  return rows;
}

/** The ids of the next `limit` groups after `after`, of all tenants, in their order. */
export async function nextGroups(db: Db, after: string | undefined, limit: number): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    SELECT id FROM groups WHERE ${after ?? null}::uuid IS NULL OR id > ${after ?? null}::uuid
     ORDER BY id LIMIT ${limit}`.execute(db);
  return rows.map(({ id }) => id);
}

/** The groups of a device that the caller sees; `undefined` when there is no such device for them. */
export async function groupsOfDevice(
  db: Db,
  tenantId: string,
  deviceId: string,
  memberUserId: string | undefined,
): Promise<string[] | undefined> {
  const { rows } = await sql<{ group_ids: string[] }>`
    SELECT ARRAY(SELECT g.group_id::text FROM device_groups g WHERE g.device_uid = d.uid) AS group_ids
      FROM devices d
     WHERE d.tenant_id = ${tenantId} AND d.id = ${deviceId} AND d.deleted_at IS NULL
       AND (${memberUserId ?? null}::uuid IS NULL OR EXISTS (
             SELECT FROM device_groups g JOIN group_members m ON m.group_id = g.group_id
              WHERE g.device_uid = d.uid AND m.user_id = ${memberUserId ?? null}::uuid))`.execute(db);
  return rows[0]?.group_ids;
}

/** Forgets pages that were due before `before`. */
export async function forgetPages(db: Db, before: Date): Promise<void> {
  await sql`DELETE FROM pages WHERE due_at < ${before} AND state <> 'due'`.execute(db);
}
