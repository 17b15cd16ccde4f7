import { queryOptions } from "@tanstack/react-query";
import { api, must } from "./client.ts";
import { keyOf } from "./queries.ts";

const PATH = "/api/admin/overview";

export const overviewQuery = queryOptions({
  queryKey: keyOf(PATH),
  queryFn: ({ signal }) => must(api.GET(PATH, { signal })),
});

/** Records whose name contains the text, for the palette. */
export const searchQuery = (q: string) =>
  queryOptions({
    queryKey: keyOf("/api/admin/search", q),
    queryFn: ({ signal }) => must(api.GET("/api/admin/search", { params: { query: { q } }, signal })),
  });
