import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { api, must, type Schemas } from "../client.ts";
import { filled, keyOf } from "../queries.ts";

const LIST = "/api/admin/groups";
/** Enough for most tenants; the others search. */
const MOST = 200;

export type Group = Schemas["Group"];

/** The groups that the user sees whose name contains `q`, newest first. */
export const groupChoicesQuery = (q = "") =>
  queryOptions({
    queryKey: keyOf(LIST, "choices", q),
    queryFn: ({ signal }) => must(api.GET(LIST, { params: { query: filled({ q, limit: MOST }) }, signal })),
    placeholderData: keepPreviousData,
  });
