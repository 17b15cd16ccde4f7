import { type Bound, bind } from "../access/access.ts";
import { changeTicket } from "./change-ticket.ts";
import { commentTicket, listTicketComments } from "./comments/ticket-comments.ts";
import type { TicketsDeps } from "./deps.ts";
import { getTicket, listTicketHistory, listTickets } from "./list/view-tickets.ts";
import { openTicket } from "./open-ticket.ts";

export { LENGTHS as TICKET_LENGTHS } from "./fields.ts";
export { TICKET_ORDERS } from "./list/ticket-list-store.ts";
export { TICKET_PRIORITIES, TICKET_TYPES, type TicketRecord } from "./ticket-record.ts";
export { movesFrom, TICKET_STATUSES } from "./transitions.ts";

/** Maintenance tickets: the work to do, its assignees, and its history. */
export const ticketUseCases = {
  openTicket,
  changeTicket,
  getTicket,
  listTickets,
  listTicketHistory,
  commentTicket,
  listTicketComments,
};
export type Tickets = Bound<typeof ticketUseCases>;
export const createTickets = (deps: TicketsDeps): Tickets => bind(deps, ticketUseCases);
