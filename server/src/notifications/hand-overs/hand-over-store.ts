import { sql } from "kysely";
import type { Db, Tx } from "../../db/database.ts";

/** The people on duty in a group, as those concerned know it. */
export interface KnownDuty {
  groupId: string;
  tenantId: string;
  /** `null` before the first look. */
  userIds: string[] | null;
}

/** Begins to watch the groups that tell of hand-overs, and forgets those that no longer do. */
export async function watchGroups(db: Db, now: Date): Promise<void> {
  await sql`
    WITH ended AS (
      DELETE FROM hand_overs h WHERE NOT EXISTS (
        SELECT FROM shared_groups g WHERE g.id = h.group_id AND g.tells_hand_overs))
    INSERT INTO hand_overs (group_id, tenant_id, next_at)
    SELECT g.id, g.tenant_id, ${now} FROM shared_groups g WHERE g.tells_hand_overs
    ON CONFLICT DO NOTHING`.execute(db);
}

/** Locks groups to look at again that no other process has locked, the longest overdue first. */
export async function lockDueGroups(tx: Tx, now: Date, limit: number): Promise<KnownDuty[]> {
  const { rows } = await sql<KnownDuty>`
    SELECT h.group_id AS "groupId", h.tenant_id AS "tenantId", h.user_ids AS "userIds" FROM hand_overs h
     WHERE h.next_at <= ${now} ORDER BY h.next_at LIMIT ${limit} FOR UPDATE SKIP LOCKED`.execute(tx);
  return rows;
}

/** Records who is on duty, in the transaction that tells of it, and when to look again. */
export async function recordDuty(tx: Tx, { groupId, userIds }: KnownDuty, nextAt: Date): Promise<void> {
  await sql`UPDATE hand_overs SET user_ids = ${userIds}::uuid[], next_at = ${nextAt} WHERE group_id = ${groupId}`.execute(
    tx,
  );
}
