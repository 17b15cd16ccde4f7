import { api, must, type Schemas } from "../client.ts";
import { read } from "../read.ts";

export const FILTERS = "/api/admin/filters";
export type SavedFilter = Schemas["SavedFilter"];
export type FilteredList = SavedFilter["list"];

/** The signed-in user's saved filters of a list, by name. */
export const savedFiltersQuery = (list: FilteredList) => read(FILTERS, { query: { list } });
export const saveFilter = (body: Schemas["FilterCreate"]) => must(api.POST(FILTERS, { body }));
export const renameFilter = (id: string, name: string) =>
  must(api.PATCH(`${FILTERS}/{id}`, { params: { path: { id } }, body: { name } }));
export const deleteFilter = (id: string) => must(api.DELETE(`${FILTERS}/{id}`, { params: { path: { id } } }));
