import { queryOptions } from "@tanstack/react-query";
import { api, must } from "./client.ts";
import { keyOf } from "./queries.ts";

const LIST = "/api/admin/device-types";
/** Enough for a list of choices; a tenant has a few types. */
const MOST = 200;

export const deviceTypesQuery = queryOptions({
  queryKey: keyOf(LIST, "choices"),
  queryFn: ({ signal }) => must(api.GET(LIST, { params: { query: { limit: MOST } }, signal })),
});
