import { queryOptions } from "@tanstack/react-query";
import { api, must } from "./client.ts";
import { keyOf } from "./queries.ts";

/** The last `ms` of a metric in about 300 buckets, and the range that was asked for. */
export const seriesQuery = (id: string, metric: string, ms: number) =>
  queryOptions({
    queryKey: keyOf("/api/admin/devices/series", id, metric, ms),
    queryFn: async ({ signal }) => {
      const to = Date.now();
      const from = to - ms;
      const query = { metric, from: new Date(from).toISOString(), to: new Date(to).toISOString() };
      const series = await must(api.GET("/api/admin/devices/{id}/series", { params: { path: { id }, query }, signal }));
      return { series, from, to };
    },
    staleTime: 10_000,
  });
