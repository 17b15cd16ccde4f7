import { sql } from "kysely";
import type { Db } from "../../db/database.ts";

/** The maximum number that {@link countUnreached} counts. */
const MOST = 1_000;

/**
 * Counts the open anomalies whose pages reached nobody, at most 1,000. @param viewer a user whose groups count;
 * undefined for all groups
 */
export async function countUnreached(db: Db, tenantId: string, viewer: string | undefined): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    SELECT count(*)::int AS count FROM (
      SELECT DISTINCT p.anomaly_id FROM pages p JOIN shared_anomalies a ON a.id = p.anomaly_id
       WHERE p.tenant_id = ${tenantId} AND p.state = 'nobody' AND a.status = 'open' AND ${ofViewer(viewer, sql`p.group_id`)}
         AND NOT EXISTS (SELECT FROM pages o WHERE o.anomaly_id = p.anomaly_id AND o.state IN ('due', 'paged', 'deferred'))
       LIMIT ${MOST}) unreached`.execute(db);
  return rows[0]!.count;
}

/** Counts the groups that have devices but no escalation. */
export async function countSilentGroups(db: Db, tenantId: string, viewer: string | undefined): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    SELECT count(*)::int AS count FROM shared_groups g
     WHERE g.tenant_id = ${tenantId} AND g.escalation = '[]'::jsonb AND ${ofViewer(viewer, sql`g.id`)}
       AND EXISTS (SELECT FROM shared_device_groups d WHERE d.group_id = g.id)`.execute(db);
  return rows[0]!.count;
}

/** Counts the tenant's channels that fail, and those that their receivers have not confirmed. */
export async function countChannels(db: Db, tenantId: string): Promise<{ failing: number; unconfirmed: number }> {
  const { rows } = await sql<{ failing: number; unconfirmed: number }>`
    SELECT count(*) FILTER (WHERE failing_since IS NOT NULL)::int AS failing,
           count(*) FILTER (WHERE confirmed_at IS NULL)::int AS unconfirmed
      FROM channel_addresses WHERE tenant_id = ${tenantId} AND forget_at IS NULL AND group_id IS NOT NULL`.execute(db);
  return rows[0]!;
}

const ofViewer = (viewer: string | undefined, group: ReturnType<typeof sql>) =>
  viewer === undefined
    ? sql`true`
    : sql`EXISTS (SELECT FROM shared_group_members m WHERE m.group_id = ${group} AND m.user_id = ${viewer}::uuid)`;
