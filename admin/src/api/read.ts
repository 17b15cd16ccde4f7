import { infiniteQueryOptions, keepPreviousData, queryOptions } from "@tanstack/react-query";
import { api, must, mustVersioned } from "./client.ts";
import type { paths } from "./generated/admin.ts";
import { filled } from "./queries.ts";

/** An address of the admin API that is read as JSON. */
type Path = {
  [P in keyof paths]: paths[P] extends { get: { responses: { 200: { content: { "application/json": unknown } } } } }
    ? P
    : never;
}[keyof paths];
type Parameters<P extends Path> = paths[P]["get"] extends { parameters: infer All } ? All : never;
export type Answer<P extends Path> = paths[P]["get"] extends {
  responses: { 200: { content: { "application/json": infer Body } } };
}
  ? Body
  : never;
/** The query of an address. A field without a value is no parameter. */
export type QueryOf<P extends Path> =
  Parameters<P> extends { query?: infer Query } ? { [Name in keyof Query]?: Query[Name] | undefined } : never;
/** The parameters of a request: the ids in its path, and its query. */
export interface Asked<P extends Path> {
  path?: Parameters<P> extends { path: infer Ids } ? Ids : never;
  query?: QueryOf<P>;
}
interface Part {
  skip: number;
  limit: number;
  total: number;
}

/** Sends the request of a query. @throws Problem */
export function get<P extends Path>(path: P, asked: Asked<P>, signal?: AbortSignal): Promise<Answer<P>> {
  return must(request(path, asked, signal));
}

/**
 * Returns the query of an address. Its key begins with the address, so that a live event can name what it changes, and
 * continues with the parameters.
 */
export function read<P extends Path>(path: P, asked: Asked<P> = {}) {
  return queryOptions({ queryKey: [path, asked], queryFn: ({ signal }) => get(path, asked, signal) });
}

/** Returns the query of a list, which shows the former page until the next one is read. */
export function readList<P extends Path>(path: P, query: QueryOf<P>) {
  const asked: Asked<P> = { query };
  return queryOptions({
    queryKey: [path, asked],
    queryFn: ({ signal }) => get(path, asked, signal),
    placeholderData: keepPreviousData,
  });
}

/** Returns the query of a record with its version. */
export function readVersioned<P extends Path>(path: P, asked: Asked<P> = {}) {
  return queryOptions({
    queryKey: [path, asked],
    queryFn: ({ signal }) => mustVersioned<Answer<P>>(request(path, asked, signal)),
  });
}

/** Returns the query of a list that grows by one page at a time. */
export function readParts<P extends Path>(path: P, asked: Asked<P>, limit: number) {
  return infiniteQueryOptions({
    queryKey: [path, "parts", asked],
    queryFn: ({ signal, pageParam }) => {
      const query = { ...asked.query, skip: pageParam, limit } as unknown as QueryOf<P>;
      return get(path, { ...asked, query }, signal) as Promise<Answer<P> & Part>;
    },
    initialPageParam: 0,
    getNextPageParam: ({ skip, limit, total }) => (skip + limit < total ? skip + limit : undefined),
    placeholderData: keepPreviousData,
  });
}

function request<P extends Path>(path: P, asked: Asked<P>, signal?: AbortSignal) {
  const params = { path: asked.path, query: filled(asked.query ?? {}) };
  return api.GET(path, { params, signal } as never) as Promise<{
    data?: Answer<P>;
    error?: unknown;
    response: Response;
  }>;
}
