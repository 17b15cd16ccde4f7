import { queryOptions } from "@tanstack/react-query";
import { api, must, type Schemas } from "./client.ts";
import { keyOf } from "./queries.ts";
import { ifMatch, mustVersioned } from "./versioned.ts";

export const TENANT = "/api/admin/tenant";

export type Tenant = Schemas["Tenant"];

export const tenantQuery = queryOptions({
  queryKey: keyOf(TENANT),
  queryFn: () => mustVersioned(api.GET(TENANT)),
});

export function updateTenant(etag: string | undefined, body: Schemas["TenantEdit"]) {
  return must(api.PATCH(TENANT, { body, ...ifMatch(etag) }));
}
