import { infiniteQueryOptions, type QueryClient, queryOptions } from "@tanstack/react-query";
import { api, must, type Schemas } from "../client.ts";

const SERIES = "/api/admin/devices/series";
/** About one point for every two pixels of a chart. */
const POINTS = 500;

/** In milliseconds since 1970. */
interface Span {
  from: number;
  to: number;
}

export interface SeriesOfRange {
  range: Span;
  /** The time of the reading; the range is still open after it. */
  readAt: number;
  bucketSeconds: number;
  points: Schemas["Series"]["points"];
}

async function readSeries(id: string, metric: string, range: Span, signal: AbortSignal): Promise<SeriesOfRange> {
  const readAt = Date.now();
  const [from, to] = [new Date(range.from).toISOString(), new Date(range.to).toISOString()];
  const query = { metric, from, to, buckets: POINTS };
  const series = await must(api.GET("/api/admin/devices/{id}/series", { params: { path: { id }, query }, signal }));
  return { ...series, range, readAt };
}

/** The last `ms` of a metric. */
export const recentSeriesQuery = (id: string, metric: string, ms: number) =>
  queryOptions({
    queryKey: [SERIES, id, metric, ms],
    queryFn: ({ signal }) => {
      const to = Date.now();
      return readSeries(id, metric, { from: to - ms, to }, signal);
    },
  });

/** A metric of [from, to). */
export const seriesQuery = (id: string, metric: string, range: Span) =>
  queryOptions({
    queryKey: [SERIES, id, metric, range.from, range.to],
    queryFn: ({ signal }) => readSeries(id, metric, range, signal),
  });

/** Invalidates the stored readings that charts of the device show. */
export function invalidateSeries(queries: QueryClient, id: string): void {
  void queries.invalidateQueries({ queryKey: [SERIES, id] });
}

export type Reading = Schemas["Reading"];

/** The single readings of a metric of [from, to), newest first, one page at a time. */
export const readingsQuery = (id: string, metric: string, { from, to }: Span) =>
  infiniteQueryOptions({
    // Stored readings never change: no event of the device makes them stale.
    queryKey: ["/api/admin/readings", id, metric, from, to],
    queryFn: ({ signal, pageParam }) => {
      const range = { metric, from: new Date(from).toISOString(), to: new Date(to).toISOString() };
      const query = pageParam ? { ...range, cursor: pageParam } : range;
      return must(api.GET("/api/admin/devices/{id}/readings", { params: { path: { id }, query }, signal }));
    },
    initialPageParam: "",
    getNextPageParam: ({ next }) => next,
  });
