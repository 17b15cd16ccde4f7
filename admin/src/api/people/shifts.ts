import { api, ifMatch, must, type Schemas } from "../client.ts";
import { type QueryOf, readList, readVersioned } from "../read.ts";

export const SHIFTS = "/api/admin/shifts";
export type Shift = Schemas["Shift"];
export type NewShift = Schemas["ShiftCreate"];

export const shiftsQuery = (query: QueryOf<typeof SHIFTS>) => readList(SHIFTS, { limit: 50, ...query });
export const shiftQuery = (id: string) => readVersioned(`${SHIFTS}/{id}`, { path: { id } });

export const createShift = (body: NewShift) => must(api.POST(SHIFTS, { body }));
export const updateShift = (id: string, etag: string | undefined, body: Schemas["ShiftUpdate"]) =>
  must(api.PATCH(`${SHIFTS}/{id}`, { params: { path: { id } }, body, ...ifMatch(etag) }));
export const deleteShift = (id: string) => must(api.DELETE(`${SHIFTS}/{id}`, { params: { path: { id } } }));
