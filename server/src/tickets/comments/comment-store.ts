import { sql } from "kysely";
import type { Db, Tx } from "../../db/database.ts";
import type { PageRequest } from "../../lib/page.ts";

/** A comment by a person on a ticket. */
export interface TicketComment {
  id: string;
  at: Date;
  /** The author, in the format of histories: `user:<id>`. */
  author: string;
  text: string;
}

/**
 * Appends a comment to a ticket that the transaction has locked. The comment count changes the ticket, so that clients
 * are notified. Fires `tickets_event_edited`.
 */
export async function insertComment(
  tx: Tx,
  tenantId: string,
  ticketId: string,
  { id, at, author, text }: TicketComment,
): Promise<void> {
  await sql`
    WITH counted AS (UPDATE tickets SET comments = comments + 1 WHERE tenant_id = ${tenantId} AND id = ${ticketId})
    INSERT INTO ticket_comments (id, tenant_id, ticket_id, at, author, text)
    VALUES (${id}, ${tenantId}, ${ticketId}, ${at}, ${author}, ${text})`.execute(tx);
}

/** Lists one page of a ticket's comments, newest first, and the total number. */
export async function listCommentRows(
  db: Db,
  tenantId: string,
  ticketId: string,
  { skip, limit }: PageRequest,
): Promise<{ rows: TicketComment[]; total: number }> {
  const [{ rows }, counted] = await Promise.all([
    sql<TicketComment>`SELECT id, at, author, text FROM ticket_comments
      WHERE tenant_id = ${tenantId} AND ticket_id = ${ticketId}
      ORDER BY seq DESC LIMIT ${limit} OFFSET ${skip}`.execute(db),
    sql<{ total: number }>`SELECT comments AS total FROM tickets
      WHERE tenant_id = ${tenantId} AND id = ${ticketId}`.execute(db),
  ]);
  return { rows, total: counted.rows[0]?.total ?? 0 };
}
