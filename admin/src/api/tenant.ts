import { api, ifMatch, must, type Schemas } from "./client.ts";
import { readVersioned } from "./read.ts";

export const TENANT = "/api/admin/tenant";
export type Tenant = Schemas["Tenant"];

export const tenantQuery = readVersioned(TENANT);
export const updateTenant = (etag: string | undefined, body: Schemas["TenantEdit"]) =>
  must(api.PATCH(TENANT, { body, ...ifMatch(etag) }));
