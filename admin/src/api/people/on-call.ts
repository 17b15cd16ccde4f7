import { queryOptions } from "@tanstack/react-query";
import { api, must, type Schemas } from "../client.ts";
import { keyOf } from "../queries.ts";

export const COVERAGE = "/api/admin/coverage";

export type OnCall = Schemas["OnCall"];

export const groupOnCallQuery = (id: string) =>
  queryOptions({
    queryKey: keyOf(`/api/admin/groups/${id}/on-call`),
    queryFn: ({ signal }) => must(api.GET("/api/admin/groups/{id}/on-call", { params: { path: { id } }, signal })),
  });

export const deviceOnCallQuery = (id: string) =>
  queryOptions({
    queryKey: keyOf(`/api/admin/devices/${id}/on-call`),
    queryFn: ({ signal }) => must(api.GET("/api/admin/devices/{id}/on-call", { params: { path: { id } }, signal })),
  });

/** The groups with uncovered hours in the next seven days. */
export const coverageQuery = queryOptions({
  queryKey: keyOf(COVERAGE),
  queryFn: ({ signal }) => must(api.GET(COVERAGE, { signal })),
});
