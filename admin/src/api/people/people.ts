import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { api, must } from "../client.ts";
import { filled, keyOf } from "../queries.ts";

const PATH = "/api/admin/people";
/** Enough for most tenants; the others search. */
const MOST = 500;

/** Who can be in charge of a ticket. */
export const peopleQuery = queryOptions({
  queryKey: keyOf(PATH, "choices"),
  queryFn: ({ signal }) => must(api.GET(PATH, { params: { query: { limit: MOST } }, signal })),
});

/** The active users whose address contains `q`. */
export const foundPeopleQuery = (q: string) =>
  queryOptions({
    queryKey: keyOf(PATH, q),
    queryFn: ({ signal }) => must(api.GET(PATH, { params: { query: filled({ q, limit: MOST }) }, signal })),
    placeholderData: keepPreviousData,
  });
