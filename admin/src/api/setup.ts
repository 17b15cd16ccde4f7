import { queryOptions } from "@tanstack/react-query";
import { api, must } from "./client.ts";
import { keyOf } from "./queries.ts";

const PATH = "/api/admin/setup";

/** Whether the service waits for its first administrator. */
export const setUpQuery = queryOptions({
  queryKey: keyOf(PATH),
  queryFn: ({ signal }) => must(api.GET(PATH, { signal })),
});
