import { api, must, type Schemas } from "./client.ts";
import { type QueryOf, read } from "./read.ts";

export const KEYS = "/api/admin/keys";
export type ApiKey = Schemas["ApiKey"];

export const keysQuery = (query: QueryOf<typeof KEYS>) => read(KEYS, { query: { ...query, limit: 50 } });
export const keyWritesQuery = (id: string, skip: number) =>
  read(`${KEYS}/{id}/writes`, { path: { id }, query: { skip, limit: 20 } });
export const createKey = (body: Schemas["ApiKeyRequest"]) => must(api.POST(KEYS, { body }));
export const rotateKey = (id: string, body: Schemas["ApiKeyRotation"]) =>
  must(api.POST(`${KEYS}/{id}/rotate`, { params: { path: { id } }, body }));
export const revokeKey = (id: string) => must(api.DELETE(`${KEYS}/{id}`, { params: { path: { id } } }));
