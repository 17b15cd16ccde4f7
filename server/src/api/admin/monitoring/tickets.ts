import { z } from "zod";
import { records } from "../../../lib/limits/records.ts";
import { movesFrom, TICKET_ORDERS, type TicketRecord, ticketUseCases } from "../../../tickets/tickets.ts";
import { inApp } from "../../in-app.ts";
import { TICKET_PRIORITY, TICKET_STATUS, TICKET_TYPE } from "../../named-shapes.ts";
import { adminRoute } from "../../route.ts";
import { id, idParams, longPage, paging, sortBy } from "../../shapes.ts";
import { OPENED, PATCH, STARTED } from "../../v1/tickets/ticket-examples.ts";
import * as notes from "../../v1/tickets/ticket-notes.ts";
import { newTicket, ticketPatch, ticketRecord } from "../../v1/tickets/tickets.ts";
import { idOrNone, oneOf } from "../shapes/list-shapes.ts";

const TAG = "Tickets";

const ticket = ticketRecord
  .extend({ moves: z.array(TICKET_STATUS).meta({ description: "The statuses to which it can change" }) })
  .meta({ id: "TicketWithMoves" });

/** Fields derived from the status: a conditional write does not compare them. */
const DERIVED = ["moves"];

const withMoves = (record: TicketRecord) => ({ ...record, moves: [...movesFrom(record.status)] });

const started = { ...STARTED, moves: ["on_hold", "completed", "cancelled"] };

const ticketQuery = z.strictObject({
  q: z
    .string()
    .max(records.searchCharacters.value)
    .optional()
    .meta({ description: "Part of the title, ignoring case, or the number" }),
  status: oneOf(TICKET_STATUS, "One of these statuses, separated by commas"),
  notStatus: oneOf(TICKET_STATUS, "None of these statuses, separated by commas"),
  priority: oneOf(TICKET_PRIORITY, "One of these priorities, separated by commas"),
  notPriority: oneOf(TICKET_PRIORITY, "None of these priorities, separated by commas"),
  type: oneOf(TICKET_TYPE, "One of these types, separated by commas"),
  notType: oneOf(TICKET_TYPE, "None of these types, separated by commas"),
  assigneeUserId: idOrNone,
  notAssigneeUserId: idOrNone,
  groupId: idOrNone,
  notGroupId: idOrNone,
  deviceId: id.optional(),
  anomalyId: id.optional(),
  overdue: z.literal("true").optional().meta({ description: "Unfinished and past its due date" }),
  sort: sortBy(TICKET_ORDERS),
  ...paging(50, 200),
});

export const listTickets = adminRoute({
  useCase: ticketUseCases.listTickets,
  operationId: "listTickets",
  csv: "tickets",
  method: "GET",
  path: "/api/admin/tickets",
  tag: TAG,
  summary: "List maintenance tickets",
  description: "The tickets that the user can see, newest first unless sorted.",
  query: ticketQuery,
  status: 200,
  response: longPage(ticket),
  errors: [],
  examples: { response: { items: [started], total: 1, skip: 0, limit: 50 } },
  handler: async (caller, { query }, listTickets) => {
    const { notStatus, notPriority, notType, notAssigneeUserId, notGroupId, overdue, status, ...wanted } = query;
    const not = {
      status: notStatus,
      priority: notPriority,
      type: notType,
      assigneeUserId: notAssigneeUserId,
      groupId: notGroupId,
    };
    const asked = { ...wanted, status: status?.length === 1 ? status[0] : status, overdue: overdue === "true", not };
    const { items, ...others } = await listTickets(caller, { ...asked, countAhead: records.countedAhead.value });
    return { items: items.map(withMoves), ...others };
  },
});

export const getTicket = adminRoute({
  useCase: ticketUseCases.getTicket,
  operationId: "getTicket",
  method: "GET",
  path: "/api/admin/tickets/{id}",
  tag: TAG,
  summary: "Get a maintenance ticket",
  description: "One ticket that the user can see.",
  params: idParams,
  status: 200,
  response: ticket,
  errors: ["not_found"],
  volatile: DERIVED,
  examples: { response: started },
  handler: async (caller, { params }, getTicket) => withMoves(await getTicket(caller, params.id)),
});

export const openTicket = adminRoute({
  useCase: ticketUseCases.openTicket,
  operationId: "openTicket",
  method: "POST",
  path: "/api/admin/tickets",
  tag: TAG,
  summary: "Open a maintenance ticket",
  description:
    "Opens a ticket with the tenant's next number. A ticket for an anomaly is about the anomaly's device. While an anomaly has an unfinished ticket, a second one is `409 already_exists` with the first one's id in `detail`.",
  body: newTicket,
  status: 201,
  response: ticket,
  errors: ["already_exists"],
  volatile: DERIVED,
  examples: {
    body: { title: OPENED.title, description: OPENED.description, priority: "high", anomalyId: OPENED.anomalyId },
    response: { ...OPENED, moves: ["in_progress", "cancelled"] },
  },
  handler: async (caller, { body }, openTicket) => withMoves(await openTicket(caller, body)),
});

export const changeTicket = adminRoute({
  useCase: ticketUseCases.changeTicket,
  operationId: "changeTicket",
  method: "PATCH",
  path: "/api/admin/tickets/{id}",
  tag: TAG,
  summary: "Change a maintenance ticket",
  description:
    "A JSON merge patch (RFC 7396). A status to which the ticket cannot change is `409 invalid_transition`, with the possible ones in `allowed`.",
  params: idParams,
  body: ticketPatch,
  status: 200,
  response: ticket,
  errors: ["not_found", "invalid_transition", "already_exists"],
  volatile: DERIVED,
  examples: { body: PATCH, response: started },
  handler: async (caller, { params, body, matches }, changeTicket) =>
    withMoves(await changeTicket(caller, params.id, body, { matches })),
});

export const listTicketHistory = inApp(notes.listTicketHistory);
export const listTicketComments = inApp(notes.listTicketComments);
export const commentTicket = inApp(notes.commentTicket);
