import { infiniteQueryOptions, keepPreviousData, queryOptions } from "@tanstack/react-query";
import { api, must, type Schemas } from "../client.ts";
import type { paths } from "../generated/admin.ts";
import { keyOf } from "../queries.ts";
import { ifMatch, mustVersioned } from "../versioned.ts";

const LIST = "/api/admin/tickets";
export const TICKETS = LIST;

export type Ticket = Schemas["TicketWithMoves"];
export type TicketStatus = Ticket["status"];
export type TicketQuery = NonNullable<paths["/api/admin/tickets"]["get"]["parameters"]["query"]>;
export type TicketPatch = Schemas["TicketPatch"];

export const ticketsQuery = (query: TicketQuery) =>
  queryOptions({
    queryKey: keyOf(LIST, query),
    queryFn: ({ signal }) => must(api.GET(LIST, { params: { query }, signal })),
    placeholderData: keepPreviousData,
  });

/** How many cards a column of the board shows, and how many more at a time. */
const CARDS = 25;

/** The tickets of a column of the board, the most urgent first, a part at a time. */
export const columnQuery = (status: TicketStatus, query: Omit<TicketQuery, "skip" | "limit" | "sort" | "status">) =>
  infiniteQueryOptions({
    queryKey: keyOf(LIST, "column", status, query),
    queryFn: ({ signal, pageParam }) => {
      const asked = { ...query, status, sort: "-priority", skip: pageParam, limit: CARDS } as const;
      return must(api.GET(LIST, { params: { query: asked }, signal }));
    },
    initialPageParam: 0,
    getNextPageParam: ({ skip, limit, total }) => (skip + limit < total ? skip + limit : undefined),
    placeholderData: keepPreviousData,
  });

export const ticketQuery = (id: string) =>
  queryOptions({
    queryKey: keyOf(LIST, id),
    queryFn: ({ signal }) => mustVersioned(api.GET("/api/admin/tickets/{id}", { params: { path: { id } }, signal })),
  });

const PART = 50;

/** What happened to a ticket, newest first, a part at a time. */
export const ticketHistoryQuery = (id: string) =>
  infiniteQueryOptions({
    queryKey: keyOf(LIST, id, "history"),
    queryFn: ({ signal, pageParam }) => {
      const params = { path: { id }, query: { skip: pageParam, limit: PART } };
      return must(api.GET("/api/admin/tickets/{id}/history", { params, signal }));
    },
    initialPageParam: 0,
    getNextPageParam: ({ skip, limit, total }) => (skip + limit < total ? skip + limit : undefined),
  });

/** What people said about a ticket, newest first, a part at a time. */
export const ticketCommentsQuery = (id: string) =>
  infiniteQueryOptions({
    queryKey: keyOf(LIST, id, "comments"),
    queryFn: ({ signal, pageParam }) => {
      const params = { path: { id }, query: { skip: pageParam, limit: PART } };
      return must(api.GET("/api/admin/tickets/{id}/comments", { params, signal }));
    },
    initialPageParam: 0,
    getNextPageParam: ({ skip, limit, total }) => (skip + limit < total ? skip + limit : undefined),
  });

export function openTicket(body: Schemas["NewTicket"]) {
  return must(api.POST(LIST, { body }));
}

/** Changes what the patch names; with an `etag` only the version that was read. */
export function changeTicket(id: string, body: TicketPatch, etag?: string) {
  return must(api.PATCH("/api/admin/tickets/{id}", { params: { path: { id } }, body, ...ifMatch(etag) }));
}

export function commentTicket(id: string, text: string) {
  return must(api.POST("/api/admin/tickets/{id}/comments", { params: { path: { id } }, body: { text } }));
}
