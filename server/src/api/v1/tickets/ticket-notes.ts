import { z } from "zod";
import { records } from "../../../lib/limits/records.ts";
import { ticketUseCases } from "../../../tickets/tickets.ts";
import { publicRoute } from "../../route.ts";
import { id, idParams, offsetPaging, page, timestamp } from "../../shapes.ts";

const TAG = "Tickets";

const value = z.string().nullable();

const historyEntry = z
  .strictObject({
    id,
    at: timestamp,
    actor: z.string(),
    changes: z.record(z.string(), z.strictObject({ from: value, to: value })).meta({
      description: "The previous and new value of each field; for the opening, all fields that are not empty",
    }),
  })
  .meta({ id: "TicketHistoryEntry" });

export const listTicketHistory = publicRoute({
  useCase: ticketUseCases.listTicketHistory,
  operationId: "listTicketHistory",
  method: "GET",
  path: "/api/v1/tickets/{id}/history",
  tag: TAG,
  summary: "List a ticket's history",
  description: "Every change of the ticket, newest first; the oldest entry is its opening.",
  params: idParams,
  query: z.strictObject(offsetPaging(50, 200)),
  status: 200,
  response: page(historyEntry),
  errors: ["not_found"],
  examples: {
    response: {
      items: [
        {
          id: "0199c1cb-0000-7a11-9c22-5e6f7a8b9c0d",
          at: "2026-11-20T11:00:00.000Z",
          actor: "user:0199c1c0-0000-7a11-9c22-5e6f7a8b9c0d",
          changes: { status: { from: "open", to: "in_progress" } },
        },
      ],
      total: 1,
      skip: 0,
      limit: 50,
    },
  },
  handler: (caller, { params, query }, listTicketHistory) => listTicketHistory(caller, params.id, query),
});

const comment = z
  .strictObject({ id, at: timestamp, author: z.string(), text: z.string() })
  .meta({ id: "TicketComment" });

const COMMENT = {
  id: "0199c1cb-1111-7a11-9c22-5e6f7a8b9c0d",
  at: "2026-11-20T11:05:00.000Z",
  author: "user:0199c1c0-0000-7a11-9c22-5e6f7a8b9c0d",
  text: "The bearing is ordered.",
};

export const listTicketComments = publicRoute({
  useCase: ticketUseCases.listTicketComments,
  operationId: "listTicketComments",
  method: "GET",
  path: "/api/v1/tickets/{id}/comments",
  tag: TAG,
  summary: "List comments on a ticket",
  description: "Comments on the ticket, newest first.",
  params: idParams,
  query: z.strictObject(offsetPaging(50, 200)),
  status: 200,
  response: page(comment),
  errors: ["not_found"],
  examples: { response: { items: [COMMENT], total: 1, skip: 0, limit: 50 } },
  handler: (caller, { params, query }, listTicketComments) => listTicketComments(caller, params.id, query),
});

export const commentTicket = publicRoute({
  useCase: ticketUseCases.commentTicket,
  operationId: "commentTicket",
  method: "POST",
  path: "/api/v1/tickets/{id}/comments",
  tag: TAG,
  summary: "Comment on a ticket",
  description: "Appends a comment, whatever the status of the ticket. A comment is never changed or deleted.",
  params: idParams,
  body: z
    .strictObject({ text: z.string().min(1).max(records.ticketTextCharacters.value) })
    .meta({ id: "CommentCreate" }),
  status: 201,
  response: comment,
  errors: ["not_found"],
  examples: { body: { text: COMMENT.text }, response: COMMENT },
  handler: (caller, { params, body }, commentTicket) => commentTicket(caller, params.id, body.text),
});
