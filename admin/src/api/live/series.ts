import { infiniteQueryOptions, type QueryClient, queryOptions } from "@tanstack/react-query";
import { api, must, type Schemas } from "../client.ts";
import { keyOf } from "../queries.ts";

const SERIES = "/api/admin/devices/series";

/** The last `ms` of a metric in about 300 buckets, and the range that was asked for. */
export const seriesQuery = (id: string, metric: string, ms: number) =>
  queryOptions({
    queryKey: keyOf(SERIES, id, metric, ms),
    queryFn: async ({ signal }) => {
      const to = Date.now();
      const from = to - ms;
      const query = { metric, from: new Date(from).toISOString(), to: new Date(to).toISOString() };
      const series = await must(api.GET("/api/admin/devices/{id}/series", { params: { path: { id }, query }, signal }));
      return { series, from, to };
    },
    staleTime: 10_000,
  });

/** A metric of [from, to) in about 300 buckets. */
export const seriesBetweenQuery = (id: string, metric: string, { from, to }: { from: number; to: number }) =>
  queryOptions({
    queryKey: keyOf(SERIES, id, metric, from, to),
    queryFn: ({ signal }) => {
      const query = { metric, from: new Date(from).toISOString(), to: new Date(to).toISOString() };
      return must(api.GET("/api/admin/devices/{id}/series", { params: { path: { id }, query }, signal }));
    },
  });

/** Reads again what charts of the device show of stored readings. */
export function invalidateSeries(queries: QueryClient, id: string): void {
  void queries.invalidateQueries({ queryKey: keyOf(SERIES, id) });
}

export type Reading = Schemas["Reading"];

/** The single readings of a metric of [from, to), newest first, a page at a time. */
export const readingsQuery = (id: string, metric: string, { from, to }: { from: number; to: number }) =>
  infiniteQueryOptions({
    // What was measured stays as it is: no event of the device makes it stale.
    queryKey: keyOf("/api/admin/readings", id, metric, from, to),
    queryFn: ({ signal, pageParam }) => {
      const range = { metric, from: new Date(from).toISOString(), to: new Date(to).toISOString() };
      const query = pageParam ? { ...range, cursor: pageParam } : range;
      return must(api.GET("/api/admin/devices/{id}/readings", { params: { path: { id }, query }, signal }));
    },
    initialPageParam: "",
    getNextPageParam: ({ next }) => next,
  });
