import { sql } from "kysely";
import type { Db } from "../db/database.ts";
import type { PageRequest } from "../lib/page.ts";
import type { Changes } from "./changes.ts";

export interface HistoryRow {
  id: string;
  at: Date;
  actor: string;
  changes: Changes;
}

/** Lists one page of a ticket's history, newest first, and the total number of entries. */
export async function listHistoryRows(
  db: Db,
  tenantId: string,
  ticketId: string,
  { skip, limit }: PageRequest,
): Promise<{ rows: HistoryRow[]; total: number }> {
  const [{ rows }, counted] = await Promise.all([
    sql<HistoryRow>`SELECT id, at, actor, changes FROM ticket_history
      WHERE tenant_id = ${tenantId} AND ticket_id = ${ticketId}
      ORDER BY seq DESC LIMIT ${limit} OFFSET ${skip}`.execute(db),
    sql<{ total: string }>`SELECT count(*) AS total FROM ticket_history
      WHERE tenant_id = ${tenantId} AND ticket_id = ${ticketId}`.execute(db),
  ]);
  return { rows, total: Number(counted.rows[0]!.total) };
}
