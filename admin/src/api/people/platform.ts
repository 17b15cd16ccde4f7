import { queryOptions } from "@tanstack/react-query";
import { api, must, type Schemas } from "../client.ts";
import { keyOf } from "../queries.ts";

export const TENANTS = "/api/admin/platform/tenants";
export const AUTHORITIES = "/api/admin/platform/ca";

export type TenantSummary = Schemas["TenantSummary"];
export type CreatedTenant = Schemas["CreatedTenant"];
export type Authority = Schemas["Authority"];
export type Rotation = Schemas["AuthorityRotation"]["rotation"];

export const tenantsQuery = (skip: number) =>
  queryOptions({
    queryKey: keyOf(TENANTS, skip),
    queryFn: ({ signal }) => must(api.GET(TENANTS, { params: { query: { skip, limit: 50 } }, signal })),
  });

export const authoritiesQuery = queryOptions({
  queryKey: keyOf(AUTHORITIES),
  queryFn: ({ signal }) => must(api.GET(AUTHORITIES, { signal })),
});

export const trustRolloutQuery = queryOptions({
  queryKey: keyOf("/api/admin/platform/trust-rollout"),
  queryFn: ({ signal }) => must(api.GET("/api/admin/platform/trust-rollout", { signal })),
});

/** The checks run when they are asked for: a minute later they may say something else. */
export const checksQuery = queryOptions({
  queryKey: keyOf("/api/admin/platform/doctor"),
  queryFn: ({ signal }) => must(api.GET("/api/admin/platform/doctor", { signal })),
  staleTime: 0,
  refetchOnWindowFocus: false,
});

export const unknownRefusalsQuery = (skip: number) =>
  queryOptions({
    queryKey: keyOf("/api/admin/platform/refusals", skip),
    queryFn: ({ signal }) =>
      must(api.GET("/api/admin/platform/refusals", { params: { query: { skip, limit: 50 } }, signal })),
  });

export function createTenant(body: Schemas["NewTenant"]) {
  return must(api.POST(TENANTS, { body }));
}

export function rotateAuthorities(rotation: Rotation) {
  return must(api.POST(AUTHORITIES, { body: { rotation } }));
}
