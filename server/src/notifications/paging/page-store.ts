import { sql } from "kysely";
import type { Db, Tx } from "../../db/database.ts";
import type { Notify } from "./recipients.ts";
import { lockedTenants } from "./tenant-lock-store.ts";

/** A step of a group's escalation for an anomaly. */
export interface PageRow {
  tenant_id: string;
  anomaly_id: string;
  group_id: string;
  after_minutes: number;
  notify: Notify;
  due_at: Date;
  round: number;
}

/**
 * `nobody`: the step reached none, because it had no recipients or no message could be sent; `deferred`: quiet choices
 * deferred it for all recipients; `stopped`: the anomaly was acknowledged or resolved; `late`: it was due more than a
 * day ago.
 */
export type PageState = "paged" | "nobody" | "deferred" | "stopped" | "late";

/** Plans the steps of the current groups of each anomaly's device. A lost renewal pages only groups that opted in. */
export async function planPages(tx: Tx, anomalyIds: string[]): Promise<void> {
  await sql`
    INSERT INTO pages (tenant_id, anomaly_id, group_id, after_minutes, notify, due_at, critical)
    SELECT a.tenant_id, a.id, g.id, s."afterMinutes", s.notify, a.opened_at + make_interval(mins => s."afterMinutes"),
           a.severity = 'critical'
      FROM shared_anomalies a
      JOIN shared_device_groups d ON d.device_uid = a.device_uid
      JOIN shared_groups g ON g.id = d.group_id AND (a.certificate_id IS NULL OR g.pages_lost_renewals)
     CROSS JOIN LATERAL jsonb_to_recordset(g.escalation) AS s ("afterMinutes" integer, notify text)
     WHERE a.id = ANY (${anomalyIds}::uuid[]) AND a.status = 'open'
    ON CONFLICT DO NOTHING`.execute(tx);
}

/** Stops the steps that are not due yet. Sending a due step checks the anomaly again. */
export async function stopPages(tx: Tx, anomalyIds: string[]): Promise<void> {
  await sql`UPDATE pages SET state = 'stopped' WHERE anomaly_id = ANY (${anomalyIds}::uuid[]) AND state = 'due'`.execute(
    tx,
  );
}

/** The maximum number of due pages, of all tenants, that one transaction turns into messages. */
const BATCH = 400;

/** Locks due pages: some for each tenant after `after` that no other process is handling, critical ones first. */
export async function lockDuePages(
  tx: Tx,
  now: Date,
  { after, perTenant }: { after: string; perTenant: number },
): Promise<PageRow[]> {
  const { rows } = await sql<PageRow>`
    WITH RECURSIVE tenant AS (
        (SELECT tenant_id FROM pages WHERE state = 'due' AND tenant_id > ${after}::uuid ORDER BY tenant_id LIMIT 1)
      UNION ALL
        SELECT (SELECT p.tenant_id FROM pages p WHERE p.state = 'due' AND p.tenant_id > t.tenant_id
                 ORDER BY p.tenant_id LIMIT 1)
          FROM tenant t WHERE t.tenant_id IS NOT NULL
    )
    SELECT page.* FROM ${lockedTenants("pages")} t CROSS JOIN (VALUES (true), (false)) AS c (critical) CROSS JOIN LATERAL (
      SELECT p.tenant_id, p.anomaly_id, p.group_id, p.after_minutes, p.notify, p.due_at, p.round FROM pages p
       WHERE p.state = 'due' AND p.tenant_id = t.tenant_id AND p.critical = c.critical AND p.due_at <= ${now}
       ORDER BY p.due_at LIMIT ${perTenant} FOR UPDATE SKIP LOCKED) page
     LIMIT ${BATCH}`.execute(tx);
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

/** Makes the next step after each of these pages due now, unless it is due earlier. */
export async function hastenNext(tx: Tx, pages: readonly PageRow[], now: Date): Promise<void> {
  if (pages.length === 0) return;
  await sql`
    UPDATE pages p SET due_at = ${now}
      FROM unnest(${pages.map((page) => page.anomaly_id)}::uuid[], ${pages.map((page) => page.group_id)}::uuid[],
                  ${pages.map((page) => page.after_minutes)}::integer[]) AS deferred (anomaly_id, group_id, after_minutes)
     WHERE p.anomaly_id = deferred.anomaly_id AND p.group_id = deferred.group_id AND p.state = 'due' AND p.due_at > ${now}
       AND p.after_minutes = (SELECT min(n.after_minutes) FROM pages n WHERE n.anomaly_id = deferred.anomaly_id
             AND n.group_id = deferred.group_id AND n.after_minutes > deferred.after_minutes)`.execute(tx);
}

/** Deletes up to `limit` pages that were due before `before`. @returns the number of pages */
export async function deletePages(db: Db, before: Date, limit: number): Promise<number> {
  const { rows } = await sql`
    DELETE FROM pages p USING (
      SELECT anomaly_id, group_id, after_minutes FROM pages WHERE due_at < ${before} AND state <> 'due'
       ORDER BY due_at LIMIT ${limit}) old
     WHERE p.anomaly_id = old.anomaly_id AND p.group_id = old.group_id AND p.after_minutes = old.after_minutes
    RETURNING 1`.execute(db);
  return rows.length;
}
