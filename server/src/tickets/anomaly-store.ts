import { sql } from "kysely";
import type { Tx } from "../db/database.ts";

/**
 * Locks these anomalies, whose tickets are about to change: whoever opens, finishes, reopens or links a ticket of an
 * anomaly does so under its lock, after the lock of the ticket.
 */
export async function lockAnomalies(tx: Tx, tenantId: string, ids: readonly string[]): Promise<void> {
  await sql`SELECT FROM anomalies WHERE tenant_id = ${tenantId} AND id = ANY (${ids}::uuid[])
    ORDER BY id FOR NO KEY UPDATE`.execute(tx);
}

/** The anomaly's unfinished ticket; to be asked under the anomaly's lock. */
export async function findUnfinished(tx: Tx, tenantId: string, anomalyId: string): Promise<string | undefined> {
  const { rows } = await sql<{ id: string }>`
    SELECT id FROM tickets WHERE tenant_id = ${tenantId} AND anomaly_id = ${anomalyId}
       AND status IN ('open', 'in_progress', 'on_hold')`.execute(tx);
  return rows[0]?.id;
}

/** Lets each of these anomalies, locked, show its unfinished ticket, else its newest. */
export async function showTickets(tx: Tx, tenantId: string, ids: readonly string[]): Promise<void> {
  await sql`
    UPDATE anomalies a SET ticket_id = (
      SELECT t.id FROM tickets t WHERE t.anomaly_id = a.id
       ORDER BY t.status IN ('open', 'in_progress', 'on_hold') DESC, t.id DESC LIMIT 1)
     WHERE a.tenant_id = ${tenantId} AND a.id = ANY (${ids}::uuid[])`.execute(tx);
}
