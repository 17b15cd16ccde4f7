import { z } from "zod";
import { TICKET_LENGTHS, ticketUseCases } from "../../../tickets/tickets.ts";
import { TICKET_PRIORITY, TICKET_STATUS, TICKET_TYPE } from "../../named-shapes.ts";
import { publicRoute } from "../../route.ts";
import { id, idParams, instant, label, nullableTimestamp, page, paging, timestamp } from "../../shapes.ts";
import { OPENED, PATCH, STARTED } from "./ticket-examples.ts";

const TAG = "Tickets";

export const ticketRecord = z
  .strictObject({
    id,
    number: z.int().min(1).meta({ description: "Counts the tenant's tickets from 1, without gaps" }),
    title: z.string(),
    description: z.string(),
    type: TICKET_TYPE,
    priority: TICKET_PRIORITY,
    status: TICKET_STATUS,
    deviceId: id.nullable(),
    anomalyId: id.nullable(),
    groupId: id.nullable(),
    assigneeUserId: id.nullable(),
    dueAt: nullableTimestamp,
    resolution: z.string().nullable(),
    createdBy: z.string(),
    createdAt: timestamp,
    updatedAt: timestamp,
    startedAt: nullableTimestamp.meta({ description: "When it was first `in_progress`" }),
    completedAt: nullableTimestamp.meta({ description: "When it was completed; `null` again once it is reopened" }),
  })
  .meta({ id: "Ticket" });

const title = label(TICKET_LENGTHS.title).meta({ description: "The work to do, in one line" });
const description = z.string().max(TICKET_LENGTHS.description);
const dueTime = z.iso.datetime({ offset: true }).transform((text) => new Date(text));

/** The subject of a ticket and its assignees; `null` for none. */
const links = {
  deviceId: id.nullish().meta({ description: "By default the anomaly's device, which it must not contradict" }),
  anomalyId: id.nullish().meta({ description: "An anomaly has one unfinished ticket at a time" }),
  groupId: id.nullish().meta({ description: "The group responsible for it" }),
  assigneeUserId: id.nullish().meta({ description: "The user who does it" }),
  dueAt: dueTime.nullish().meta({ description: "ISO 8601 with `Z` or an offset" }),
};

export const newTicket = z
  .strictObject({
    title,
    description: description.optional(),
    type: TICKET_TYPE.optional().meta({ default: "corrective" }),
    priority: TICKET_PRIORITY.optional().meta({ default: "medium" }),
    ...links,
  })
  .meta({ id: "TicketCreate" });

export const ticketPatch = z
  .strictObject({
    title: title.optional(),
    description: description.optional(),
    type: TICKET_TYPE.optional(),
    priority: TICKET_PRIORITY.optional(),
    status: TICKET_STATUS.optional(),
    ...links,
    resolution: z.string().max(TICKET_LENGTHS.resolution).nullish().meta({ description: "The outcome" }),
  })
  .meta({ id: "TicketUpdate" });

export const listTickets = publicRoute({
  useCase: ticketUseCases.listTickets,
  operationId: "listTickets",
  method: "GET",
  path: "/api/v1/tickets",
  tag: TAG,
  summary: "List maintenance tickets",
  description: "The tenant's tickets, newest first.",
  query: z.strictObject({
    status: TICKET_STATUS.optional(),
    priority: TICKET_PRIORITY.optional(),
    type: TICKET_TYPE.optional(),
    deviceId: id.optional(),
    groupId: id.optional().meta({ description: "Only tickets for which this group is responsible" }),
    assigneeUserId: id.optional(),
    from: instant.optional().meta({ description: "Opened at this instant or later" }),
    to: instant.optional().meta({ description: "Opened before this instant" }),
    ...paging(50, 200),
  }),
  status: 200,
  response: page(ticketRecord),
  errors: [],
  examples: { response: { items: [STARTED], total: 1, skip: 0, limit: 50 } },
  handler: (caller, { query }, listTickets) => listTickets(caller, query),
});

export const getTicket = publicRoute({
  useCase: ticketUseCases.getTicket,
  operationId: "getTicket",
  method: "GET",
  path: "/api/v1/tickets/{id}",
  tag: TAG,
  summary: "Get a maintenance ticket",
  description: "One ticket of the tenant.",
  params: idParams,
  status: 200,
  response: ticketRecord,
  errors: ["not_found"],
  examples: { response: STARTED },
  handler: (caller, { params }, getTicket) => getTicket(caller, params.id),
});

export const openTicket = publicRoute({
  useCase: ticketUseCases.openTicket,
  operationId: "openTicket",
  method: "POST",
  path: "/api/v1/tickets",
  tag: TAG,
  summary: "Open a maintenance ticket",
  description:
    "Opens a ticket with the tenant's next number. A ticket for an anomaly is about the anomaly's device, and the anomaly links to it; while an anomaly has an unfinished ticket, a second one is `409 already_exists` with the first one's id in `detail`. An id that does not belong to the tenant is `400 invalid_request` with that id in `detail`.",
  body: newTicket,
  status: 201,
  response: ticketRecord,
  errors: ["already_exists"],
  examples: {
    body: { title: OPENED.title, description: OPENED.description, priority: "high", anomalyId: OPENED.anomalyId },
    response: OPENED,
  },
  handler: (caller, { body }, openTicket) => openTicket(caller, body),
});

export const changeTicket = publicRoute({
  useCase: ticketUseCases.changeTicket,
  operationId: "changeTicket",
  method: "PATCH",
  path: "/api/v1/tickets/{id}",
  tag: TAG,
  summary: "Change a maintenance ticket",
  description:
    "A JSON merge patch (RFC 7396): an absent field stays unchanged, and `null` empties a field that can be empty. A status to which the ticket cannot change is `409 invalid_transition`, with the possible ones in `allowed`; the present status is not a transition. Reopening clears `completedAt` and keeps `resolution`. Send `If-Match` to change only the version that you have seen.",
  params: idParams,
  body: ticketPatch,
  status: 200,
  response: ticketRecord,
  errors: ["not_found", "invalid_transition", "already_exists"],
  examples: { body: PATCH, response: STARTED },
  handler: (caller, { params, body, matches }, changeTicket) => changeTicket(caller, params.id, body, { matches }),
});
