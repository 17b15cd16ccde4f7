import { boundedToGroupsOf, useCase } from "../../access/access.ts";
import { recordWrite } from "../../audit/audit.ts";
import { inTransaction } from "../../db/transaction.ts";
import { isUuid } from "../../lib/ids.ts";
import type { Page, PageRequest } from "../../lib/page.ts";
import { invalidRequest, notFound } from "../../lib/request-errors.ts";
import type { TicketsDeps } from "../deps.ts";
import { checkedText } from "../fields.ts";
import { getTicket } from "../list/view-tickets.ts";
import { lockTicket } from "../ticket-store.ts";
import { insertComment, listCommentRows, type TicketComment } from "./comment-store.ts";

/**
 * Appends a comment to a ticket, whatever its status. Comments never change.
 *
 * @throws MusterError not_found, invalid_request
 */
export const commentTicket = useCase(
  { scope: "tickets:write", role: "operator" },
  async (deps: TicketsDeps, caller, ticketId: string, text: string): Promise<TicketComment> => {
    const plain = checkedText("comment", text).trim();
    if (plain === "") throw invalidRequest("a comment must not be blank", "text");
    if (!isUuid(ticketId)) throw notFound("ticket");
    const at = deps.clock.now();
    const comment = { id: deps.ids.uuid(at), at, author: caller.actor, text: plain };
    return await inTransaction(deps.database.db, async (tx) => {
      if (!(await lockTicket(tx, caller.tenantId, ticketId, boundedToGroupsOf(caller)))) throw notFound("ticket");
      await recordWrite(tx, caller, { resource: "ticket", id: ticketId, result: "updated", at }, deps.ids);
      await insertComment(tx, caller.tenantId, ticketId, comment);
      return comment;
    });
  },
);

/** Lists the comments of a ticket, newest first. @throws MusterError not_found */
export const listTicketComments = useCase(
  { scope: "tickets:read", role: "viewer" },
  async (deps: TicketsDeps, caller, ticketId: string, page: PageRequest): Promise<Page<TicketComment>> => {
    await getTicket(deps, caller, ticketId);
    const { rows, total } = await listCommentRows(deps.database.db, caller.tenantId, ticketId, page);
    return { items: rows, total, ...page };
  },
);
