import { queryOptions } from "@tanstack/react-query";
import { api, must, type Schemas } from "../client.ts";
import { keyOf } from "../queries.ts";

export const FILTERS = "/api/admin/filters";

export type SavedFilter = Schemas["SavedFilter"];
export type FilteredList = SavedFilter["list"];

/** The signed-in user's saved filters of a list, by name. */
export const savedFiltersQuery = (list: FilteredList) =>
  queryOptions({
    queryKey: keyOf(FILTERS, list),
    queryFn: ({ signal }) => must(api.GET(FILTERS, { params: { query: { list } }, signal })),
  });

export function saveFilter(body: Schemas["NewFilter"]) {
  return must(api.POST(FILTERS, { body }));
}

export function renameFilter(id: string, name: string) {
  return must(api.PATCH(`${FILTERS}/{id}`, { params: { path: { id } }, body: { name } }));
}

export function deleteFilter(id: string) {
  return must(api.DELETE(`${FILTERS}/{id}`, { params: { path: { id } } }));
}
