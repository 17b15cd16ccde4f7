import type { Caller } from "../access/access.ts";
import type { Page, PageRequest } from "../lib/page.ts";
import { changeTicket, type TicketPatch } from "./change-ticket.ts";
import type { TicketsDeps } from "./deps.ts";
import { type NewTicket, openTicket } from "./open-ticket.ts";
import type { TicketRecord } from "./ticket-record.ts";
import {
  getTicket,
  listTicketHistory,
  listTickets,
  type TicketHistoryEntry,
  type TicketQuery,
} from "./view-tickets.ts";

export { LENGTHS as TICKET_LENGTHS } from "./fields.ts";
export { TICKET_PRIORITIES, TICKET_TYPES } from "./ticket-record.ts";
export { TICKET_STATUSES } from "./transitions.ts";
export type { NewTicket, TicketHistoryEntry, TicketPatch, TicketQuery, TicketRecord };

/** Maintenance tickets: what is to be done, by whom, and what became of it. */
export interface Tickets {
  openTicket(caller: Caller, input: NewTicket): Promise<TicketRecord>;
  changeTicket(
    caller: Caller,
    id: string,
    patch: TicketPatch,
    options?: { matches?: ((record: object) => boolean) | undefined },
  ): Promise<TicketRecord>;
  getTicket(caller: Caller, id: string): Promise<TicketRecord>;
  listTickets(caller: Caller, query: TicketQuery): Promise<Page<TicketRecord>>;
  /** Who changed what and when, newest first; written with each change and never rewritten. */
  listTicketHistory(caller: Caller, id: string, page: PageRequest): Promise<Page<TicketHistoryEntry>>;
}

export function createTickets(deps: TicketsDeps): Tickets {
  return {
    openTicket: (caller, input) => openTicket(deps, caller, input),
    changeTicket: (caller, id, patch, options) => changeTicket(deps, caller, id, patch, options),
    getTicket: (caller, id) => getTicket(deps, caller, id),
    listTickets: (caller, query) => listTickets(deps, caller, query),
    listTicketHistory: (caller, id, page) => listTicketHistory(deps, caller, id, page),
  };
}
