import { api, ifMatch, must, type Schemas } from "../client.ts";
import { read, readVersioned } from "../read.ts";

export const SERVICE_ACCOUNTS = "/api/admin/service-accounts";
export type ServiceAccount = Schemas["ServiceAccount"];

const of = (id: string) => ({ params: { path: { id } } });
export const serviceAccountsQuery = (skip: number) => read(SERVICE_ACCOUNTS, { query: { skip, limit: 50 } });
export const serviceAccountQuery = (id: string) => readVersioned(`${SERVICE_ACCOUNTS}/{id}`, { path: { id } });

export const createServiceAccount = (body: Schemas["ServiceAccountCreate"]) =>
  must(api.POST(SERVICE_ACCOUNTS, { body }));
export const updateServiceAccount = (id: string, etag: string | undefined, body: Schemas["ServiceAccountUpdate"]) =>
  must(api.PATCH(`${SERVICE_ACCOUNTS}/{id}`, { ...of(id), body, ...ifMatch(etag) }));
export const deleteServiceAccount = (id: string) => must(api.DELETE(`${SERVICE_ACCOUNTS}/{id}`, of(id)));
