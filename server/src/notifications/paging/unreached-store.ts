import { sql } from "kysely";
import type { Db, Tx } from "../../db/database.ts";
import type { PageRow } from "./page-store.ts";

/** SQL: the escalation steps whose pages the delivery `id` contains: its own, or those of a digest. */
const stepsOf = (id: string) => sql`
  SELECT DISTINCT d.anomaly_id, d.group_id, d.step FROM deliveries d
   WHERE (d.id = ${id}::uuid OR d.digest_id = ${id}::uuid) AND d.type = 'anomaly.opened' AND d.step IS NOT NULL`;

/**
 * Marks the paged steps of a delivery whose attempt failed as having reached nobody, unless another message of the step
 * was sent or has not been tried yet. The steps are locked first: when two messages fail at the same time, the
 * second one sees both failures.
 *
 * @returns the marked steps
 */
export async function markUnreached(tx: Tx, deliveryId: string): Promise<PageRow[]> {
  const { rows: locked } = await sql`
    SELECT FROM pages p JOIN (${stepsOf(deliveryId)}) s
        ON s.anomaly_id = p.anomaly_id AND s.group_id = p.group_id AND s.step = p.after_minutes
     WHERE p.state = 'paged' ORDER BY p.anomaly_id, p.group_id, p.after_minutes FOR UPDATE OF p`.execute(tx);
  if (locked.length === 0) return [];
  const { rows } = await sql<PageRow>`
    UPDATE pages p SET state = 'nobody' FROM (${stepsOf(deliveryId)}) s
     WHERE s.anomaly_id = p.anomaly_id AND s.group_id = p.group_id AND s.step = p.after_minutes AND p.state = 'paged'
       AND NOT EXISTS (
         SELECT FROM deliveries d LEFT JOIN deliveries digest ON digest.id = d.digest_id
          WHERE d.anomaly_id = p.anomaly_id AND d.group_id = p.group_id AND d.step = p.after_minutes
            AND d.created_at >= p.due_at AND d.type = 'anomaly.opened' AND CASE d.state
              WHEN 'digested' THEN digest.state = 'sent' OR digest.last_error IS NULL
              WHEN 'pending' THEN d.last_error IS NULL
              ELSE d.state = 'sent' END)
    RETURNING p.tenant_id, p.anomaly_id, p.group_id, p.after_minutes, p.notify, p.due_at, p.round`.execute(tx);
  return rows;
}

/** Returns the anomalies whose pages the delivery contains, in ascending order. */
export async function anomaliesIn(tx: Tx, deliveryId: string): Promise<string[]> {
  const { rows } = await sql<{ anomaly_id: string }>`
    SELECT DISTINCT s.anomaly_id FROM (${stepsOf(deliveryId)}) s ORDER BY s.anomaly_id`.execute(tx);
  return rows.map((row) => row.anomaly_id);
}

/** Marks the steps of a sent delivery as paged that had reached nobody before. */
export async function markReached(db: Db, deliveryId: string): Promise<void> {
  await sql`
    UPDATE pages p SET state = 'paged' FROM (${stepsOf(deliveryId)}) s
     WHERE s.anomaly_id = p.anomaly_id AND s.group_id = p.group_id AND s.step = p.after_minutes
       AND p.state = 'nobody'`.execute(db);
}

/** A group whose page reached nobody, for the message of last resort. */
export interface UnreachedGroup {
  anomaly_id: string;
  tenant_id: string;
  group_id: string;
  group_name: string;
}

/**
 * Selects those of the anomalies whose pages reached nobody, with the group of the first step, if no step is left, no
 * message is awaited, and their tenant has a last resort. A message is awaited until its second failure, unless its
 * address has been failing since before `failingBefore`: a receiver may restart.
 *
 * Locks the decision for each anomaly until the transaction ends: when the last steps of two groups fail at the same
 * time, the second one sees both.
 *
 * @param anomalyIds in ascending order
 */
export async function lockUnreached(
  tx: Tx,
  anomalyIds: readonly string[],
  failingBefore: Date,
): Promise<UnreachedGroup[]> {
  for (const id of anomalyIds)
    await sql`SELECT pg_advisory_xact_lock(hashtextextended(${`muster last resort ${id}`}, 0))`.execute(tx);
  const { rows } = await sql<UnreachedGroup>`
    SELECT DISTINCT ON (p.anomaly_id) p.anomaly_id, p.tenant_id, p.group_id, g.name AS group_name
      FROM pages p JOIN shared_groups g ON g.id = p.group_id JOIN shared_tenants t ON t.id = p.tenant_id
     WHERE p.anomaly_id = ANY (${anomalyIds}::uuid[]) AND p.state = 'nobody' AND t.last_resort = 'admins'
       AND NOT EXISTS (SELECT FROM pages o WHERE o.anomaly_id = p.anomaly_id AND o.state IN ('due', 'paged', 'deferred'))
       AND NOT EXISTS (
         SELECT FROM deliveries d
           LEFT JOIN channel_addresses a ON a.tenant_id = d.tenant_id AND a.type = d.channel
                 AND a.key = channel_address_key(d.channel, d.target)
          WHERE d.anomaly_id = p.anomaly_id AND d.type = 'anomaly.opened' AND d.state = 'pending' AND d.attempts < 2
            AND (a.failing_since IS NULL OR a.failing_since > ${failingBefore}))
     ORDER BY p.anomaly_id, p.after_minutes, p.group_id`.execute(tx);
  return rows;
}
