import { sql } from "kysely";
import type { Db, Tx } from "../db/database.ts";

/**
 * Locks these anomalies for a transaction that opens, finishes, reopens or links one of their tickets. Each such
 * transaction locks the ticket, then its anomalies, so that two of them run one after the other.
 */
export async function lockAnomalies(tx: Tx, tenantId: string, ids: readonly string[]): Promise<void> {
  await sql`SELECT FROM anomalies WHERE tenant_id = ${tenantId} AND id = ANY (${ids}::uuid[])
    ORDER BY id FOR NO KEY UPDATE`.execute(tx);
}

/** The ticket that an anomaly shows; `null` for none. */
export interface TicketLink {
  anomalyId: string;
  ticketId: string | null;
}

/** Stores which ticket each of these anomalies shows. The caller has locked them ({@link lockAnomalies}). */
export async function linkTickets(db: Db, tenantId: string, links: readonly TicketLink[]): Promise<void> {
  const anomalyIds = links.map(({ anomalyId }) => anomalyId);
  const ticketIds = links.map(({ ticketId }) => ticketId);
  await sql`
    UPDATE anomalies a SET ticket_id = l.ticket_id
      FROM unnest(${anomalyIds}::uuid[], ${ticketIds}::uuid[]) AS l (anomaly_id, ticket_id)
     WHERE a.tenant_id = ${tenantId} AND a.id = l.anomaly_id`.execute(db);
}
