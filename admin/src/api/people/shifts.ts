import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { api, must, type Schemas } from "../client.ts";
import { filled, keyOf } from "../queries.ts";
import { ifMatch, mustVersioned } from "../versioned.ts";

export const SHIFTS = "/api/admin/shifts";

export type Shift = Schemas["Shift"];
export type NewShift = Schemas["NewShift"];

export const shiftsQuery = (query: { q?: string | undefined; groupId?: string; skip?: number; limit?: number }) =>
  queryOptions({
    queryKey: keyOf(SHIFTS, query),
    queryFn: ({ signal }) => must(api.GET(SHIFTS, { params: { query: filled({ limit: 50, ...query }) }, signal })),
    placeholderData: keepPreviousData,
  });

export const shiftQuery = (id: string) =>
  queryOptions({
    queryKey: keyOf(`${SHIFTS}/${id}`),
    queryFn: () => mustVersioned(api.GET(`${SHIFTS}/{id}`, { params: { path: { id } } })),
  });

export function createShift(body: NewShift) {
  return must(api.POST(SHIFTS, { body }));
}

export function updateShift(id: string, etag: string | undefined, body: Schemas["ShiftEdit"]) {
  return must(api.PATCH(`${SHIFTS}/{id}`, { params: { path: { id } }, body, ...ifMatch(etag) }));
}

export function deleteShift(id: string) {
  return must(api.DELETE(`${SHIFTS}/{id}`, { params: { path: { id } } }));
}
