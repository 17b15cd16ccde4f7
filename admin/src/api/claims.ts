import { queryOptions } from "@tanstack/react-query";
import { api, must } from "./client.ts";
import { keyOf } from "./queries.ts";

const LIST = "/api/admin/claims";

export const claimQuery = (id: string) =>
  queryOptions({
    queryKey: keyOf(LIST, id),
    queryFn: ({ signal }) => must(api.GET("/api/admin/claims/{id}", { params: { path: { id } }, signal })),
    staleTime: 0,
  });
