import { sql } from "kysely";
import type { TicketLink } from "../anomalies/anomalies.ts";
import type { Tx } from "../db/database.ts";

/** Finds the unfinished ticket of a locked anomaly. */
export async function findUnfinished(tx: Tx, tenantId: string, anomalyId: string): Promise<string | undefined> {
  const { rows } = await sql<{ id: string }>`
    SELECT id FROM tickets WHERE tenant_id = ${tenantId} AND anomaly_id = ${anomalyId}
       AND status IN ('open', 'in_progress', 'on_hold')`.execute(tx);
  return rows[0]?.id;
}

/** Determines which ticket each of these locked anomalies must show: its unfinished one, otherwise its newest. */
export async function findShownTickets(tx: Tx, anomalyIds: readonly string[]): Promise<TicketLink[]> {
  const { rows } = await sql<TicketLink>`
    SELECT a.id AS "anomalyId",
           (SELECT t.id FROM tickets t WHERE t.anomaly_id = a.id
             ORDER BY t.status IN ('open', 'in_progress', 'on_hold') DESC, t.id DESC LIMIT 1) AS "ticketId"
      FROM unnest(${anomalyIds}::uuid[]) AS a (id)`.execute(tx);
  return rows;
}
