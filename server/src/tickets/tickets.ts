import { type Bound, bind } from "../access/access.ts";
import { changeTicket } from "./change-ticket.ts";
import type { TicketsDeps } from "./deps.ts";
import { openTicket } from "./open-ticket.ts";
import { getTicket, listTicketHistory, listTickets } from "./view-tickets.ts";

export type { TicketPatch } from "./change-ticket.ts";
export { LENGTHS as TICKET_LENGTHS } from "./fields.ts";
export type { NewTicket } from "./open-ticket.ts";
export { TICKET_PRIORITIES, TICKET_TYPES, type TicketRecord } from "./ticket-record.ts";
export { TICKET_STATUSES } from "./transitions.ts";

/** Maintenance tickets: the work to do, who does it, and the history of each. */
export const ticketUseCases = { openTicket, changeTicket, getTicket, listTickets, listTicketHistory };
export type Tickets = Bound<typeof ticketUseCases>;
export const createTickets = (deps: TicketsDeps): Tickets => bind(deps, ticketUseCases);
