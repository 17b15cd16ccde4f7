import { api, ifMatch, must, type Schemas } from "../client.ts";
import { readList, readVersioned } from "../read.ts";

export const GROUPS = "/api/admin/groups";
/** Enough for most tenants; the others search. */
const MOST = 200;
export type Group = Schemas["Group"];
export type GroupEdit = Schemas["GroupEdit"];

/** The groups that the user sees whose name contains `q`, newest first. */
export const groupChoicesQuery = (q = "") => readList(GROUPS, { q, limit: MOST });
export const groupsQuery = (q: string | undefined, skip: number) => readList(GROUPS, { q, skip, limit: 50 });
export const groupQuery = (id: string) => readVersioned(`${GROUPS}/{id}`, { path: { id } });

export const createGroup = (body: Schemas["GroupCreate"]) => must(api.POST(GROUPS, { body }));
export const updateGroup = (id: string, etag: string | undefined, body: GroupEdit) =>
  must(api.PATCH(`${GROUPS}/{id}`, { params: { path: { id } }, body, ...ifMatch(etag) }));
export const deleteGroup = (id: string) => must(api.DELETE(`${GROUPS}/{id}`, { params: { path: { id } } }));
export const assignShift = (id: string, shiftId: string) =>
  must(api.POST(`${GROUPS}/{id}/shifts`, { params: { path: { id } }, body: { shiftId } }));
export const unassignShift = (id: string, shiftId: string) =>
  must(api.DELETE(`${GROUPS}/{id}/shifts/{shiftId}`, { params: { path: { id, shiftId } } }));
