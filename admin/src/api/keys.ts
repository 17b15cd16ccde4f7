import { queryOptions } from "@tanstack/react-query";
import { api, must, type Schemas } from "./client.ts";
import { filled, keyOf } from "./queries.ts";

export const KEYS = "/api/admin/keys";

export type ApiKey = Schemas["ApiKey"];

interface KeysQuery {
  state?: "active" | "ended" | undefined;
  userId?: string | undefined;
  skip: number;
}

export const keysQuery = (query: KeysQuery) =>
  queryOptions({
    queryKey: keyOf(KEYS, query),
    queryFn: () => must(api.GET(KEYS, { params: { query: filled({ ...query, limit: 50 }) } })),
  });

export const keyWritesQuery = (id: string, skip: number) =>
  queryOptions({
    queryKey: keyOf(`${KEYS}/${id}/writes`, skip),
    queryFn: () => must(api.GET(`${KEYS}/{id}/writes`, { params: { path: { id }, query: { skip, limit: 20 } } })),
  });

export function createKey(body: Schemas["ApiKeyRequest"]) {
  return must(api.POST(KEYS, { body }));
}

export function revokeKey(id: string) {
  return must(api.DELETE(`${KEYS}/{id}`, { params: { path: { id } } }));
}
