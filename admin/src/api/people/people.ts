import { queryOptions } from "@tanstack/react-query";
import { api, must } from "../client.ts";
import { keyOf } from "../queries.ts";

const PATH = "/api/admin/people";
/** Enough for most tenants. */
const MOST = 500;

/** Who can be in charge of a ticket. */
export const peopleQuery = queryOptions({
  queryKey: keyOf(PATH, "choices"),
  queryFn: ({ signal }) => must(api.GET(PATH, { params: { query: { limit: MOST } }, signal })),
});
