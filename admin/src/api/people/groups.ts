import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { api, must, type Schemas } from "../client.ts";
import { filled, keyOf } from "../queries.ts";
import { ifMatch, mustVersioned } from "../versioned.ts";

export const GROUPS = "/api/admin/groups";
/** Enough for most tenants; the others search. */
const MOST = 200;

export type Group = Schemas["Group"];
export type GroupEdit = Schemas["GroupEdit"];

/** The groups that the user sees whose name contains `q`, newest first. */
export const groupChoicesQuery = (q = "") =>
  queryOptions({
    queryKey: keyOf(GROUPS, "choices", q),
    queryFn: ({ signal }) => must(api.GET(GROUPS, { params: { query: filled({ q, limit: MOST }) }, signal })),
    placeholderData: keepPreviousData,
  });

export const groupsQuery = (query: { q: string | undefined; skip: number }) =>
  queryOptions({
    queryKey: keyOf(GROUPS, query),
    queryFn: ({ signal }) => must(api.GET(GROUPS, { params: { query: filled({ ...query, limit: 50 }) }, signal })),
    placeholderData: keepPreviousData,
  });

export const groupQuery = (id: string) =>
  queryOptions({
    queryKey: keyOf(`${GROUPS}/${id}`),
    queryFn: () => mustVersioned(api.GET(`${GROUPS}/{id}`, { params: { path: { id } } })),
  });

export function createGroup(body: Schemas["NewGroup"]) {
  return must(api.POST(GROUPS, { body }));
}

export function updateGroup(id: string, etag: string | undefined, body: GroupEdit) {
  return must(api.PATCH(`${GROUPS}/{id}`, { params: { path: { id } }, body, ...ifMatch(etag) }));
}

export function deleteGroup(id: string) {
  return must(api.DELETE(`${GROUPS}/{id}`, { params: { path: { id } } }));
}

export function assignShift(id: string, shiftId: string) {
  return must(api.POST(`${GROUPS}/{id}/shifts`, { params: { path: { id } }, body: { shiftId } }));
}

export function unassignShift(id: string, shiftId: string) {
  return must(api.DELETE(`${GROUPS}/{id}/shifts/{shiftId}`, { params: { path: { id, shiftId } } }));
}
