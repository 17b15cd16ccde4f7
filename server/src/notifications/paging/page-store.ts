import { sql } from "kysely";
import type { Db, Tx } from "../../db/database.ts";
import type { Notify } from "./recipients.ts";

/** A step of a group's escalation for an anomaly. */
export interface PageRow {
  tenant_id: string;
  anomaly_id: string;
  group_id: string;
  after_minutes: number;
  notify: Notify;
  due_at: Date;
}

/** `nobody`: the step had no recipients; `stopped`: the anomaly was acknowledged or resolved; `late`: due more than a day ago. */
export type PageState = "paged" | "nobody" | "stopped" | "late";

/** Plans the steps of the groups of each anomaly's device, as they are now. */
export async function planPages(tx: Tx, anomalyIds: string[]): Promise<void> {
  await sql`
    INSERT INTO pages (tenant_id, anomaly_id, group_id, after_minutes, notify, due_at)
    SELECT a.tenant_id, a.id, g.id, s."afterMinutes", s.notify, a.opened_at + make_interval(mins => s."afterMinutes")
      FROM shared_anomalies a
      JOIN shared_device_groups d ON d.device_uid = a.device_uid
      JOIN shared_groups g ON g.id = d.group_id
     CROSS JOIN LATERAL jsonb_to_recordset(g.escalation) AS s ("afterMinutes" integer, notify text)
     WHERE a.id = ANY (${anomalyIds}::uuid[]) AND a.status = 'open'
    ON CONFLICT DO NOTHING`.execute(tx);
}

/** Stops the steps that are not due yet. Sending a due one checks the anomaly again. */
export async function stopPages(tx: Tx, anomalyIds: string[]): Promise<void> {
  await sql`UPDATE pages SET state = 'stopped' WHERE anomaly_id = ANY (${anomalyIds}::uuid[]) AND state = 'due'`.execute(
    tx,
  );
}

/** Locks pages that are due and that no other process has locked. */
export async function lockDuePages(tx: Tx, now: Date, limit: number): Promise<PageRow[]> {
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

/** Deletes pages that were due before `before`. */
export async function deletePages(db: Db, before: Date): Promise<void> {
  await sql`DELETE FROM pages WHERE due_at < ${before} AND state <> 'due'`.execute(db);
}
