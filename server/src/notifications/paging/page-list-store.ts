import { sql } from "kysely";
import { visibleDevice } from "../../access/access.ts";
import type { Db } from "../../db/database.ts";
import type { HeldBy } from "../holds/hold.ts";
import type { PageState } from "./page-store.ts";
import type { Notify } from "./recipients.ts";

/** A step of a group's escalation for an anomaly: when it is due, and its result. */
export interface PageRecord {
  groupId: string;
  groupName: string;
  /** The minutes from the opening of the anomaly. */
  afterMinutes: number;
  notify: Notify;
  dueAt: Date;
  state: "due" | PageState;
  /** The reason why the step is postponed. Null unless its state is `due`. */
  heldBy: HeldBy | null;
}

/** Lists the pages of groups of which `viewer` (a user; undefined for all groups) is a member. */
export async function listPageRows(
  db: Db,
  tenantId: string,
  anomalyId: string,
  viewer: string | undefined,
): Promise<PageRecord[]> {
  const visible =
    viewer === undefined
      ? sql`true`
      : sql`EXISTS (SELECT FROM shared_group_members m WHERE m.group_id = p.group_id AND m.user_id = ${viewer}::uuid)`;
  const { rows } = await sql<PageRecord>`
    SELECT p.group_id AS "groupId", g.name AS "groupName", p.after_minutes AS "afterMinutes", p.notify, p.due_at AS "dueAt", p.state,
           CASE p.state WHEN 'due' THEN p.held_by END AS "heldBy"
      FROM pages p JOIN shared_groups g ON g.id = p.group_id
     WHERE p.tenant_id = ${tenantId} AND p.anomaly_id = ${anomalyId} AND ${visible}
     ORDER BY p.due_at, g.name, p.group_id`.execute(db);
  return rows;
}

/** Checks whether the tenant has this anomaly and `viewer` (a user; undefined for every device) may see its device. */
export async function isVisibleAnomaly(
  db: Db,
  tenantId: string,
  id: string,
  viewer: string | undefined,
): Promise<boolean> {
  const { rows } = await sql`SELECT FROM shared_anomalies a
    WHERE a.tenant_id = ${tenantId} AND a.id = ${id} AND ${visibleDevice(viewer, "a.device_uid")}`.execute(db);
  return rows.length > 0;
}
