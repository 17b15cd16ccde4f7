import { api, ifMatch, must, type Schemas } from "../client.ts";
import { type QueryOf, readList, readParts, readVersioned } from "../read.ts";

export const TICKETS = "/api/admin/tickets";
export type Ticket = Schemas["TicketWithMoves"];
export type TicketStatus = Ticket["status"];
export type TicketQuery = QueryOf<typeof TICKETS>;
/** The number of cards that a column of the board shows, and adds at a time. */
const CARDS = 25;
const PART = 50;

export const ticketsQuery = (query: TicketQuery) => readList(TICKETS, query);
/** The tickets of a column of the board, the most urgent first, one part at a time. */
export const columnQuery = (status: TicketStatus, query: TicketQuery) =>
  readParts(TICKETS, { query: { ...query, status, sort: "-priority" } }, CARDS);
export const ticketQuery = (id: string) => readVersioned(`${TICKETS}/{id}`, { path: { id } });
/** The changes of a ticket, newest first, one part at a time. */
export const ticketHistoryQuery = (id: string) => readParts(`${TICKETS}/{id}/history`, { path: { id } }, PART);
/** The comments on a ticket, newest first, one part at a time. */
export const ticketCommentsQuery = (id: string) => readParts(`${TICKETS}/{id}/comments`, { path: { id } }, PART);

export const openTicket = (body: Schemas["TicketCreate"]) => must(api.POST(TICKETS, { body }));
/** Changes the fields that the patch names. With an `etag`, only the version that was read is changed. */
export const changeTicket = (id: string, body: Schemas["TicketUpdate"], etag?: string) =>
  must(api.PATCH(`${TICKETS}/{id}`, { params: { path: { id } }, body, ...ifMatch(etag) }));
export const commentTicket = (id: string, text: string) =>
  must(api.POST(`${TICKETS}/{id}/comments`, { params: { path: { id } }, body: { text } }));
