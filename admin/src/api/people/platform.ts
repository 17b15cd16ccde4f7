import { api, must, type Schemas } from "../client.ts";
import { read } from "../read.ts";

export const TENANTS = "/api/admin/platform/tenants";
export const AUTHORITIES = "/api/admin/platform/ca";
export type TenantSummary = Schemas["TenantSummary"];
export type CreatedTenant = Schemas["CreatedTenant"];
export type Authority = Schemas["Authority"];
export type Rotation = Schemas["AuthorityRotation"]["rotation"];

export const tenantsQuery = (skip: number) => read(TENANTS, { query: { skip, limit: 50 } });
export const authoritiesQuery = read(AUTHORITIES);
export const trustRolloutQuery = read("/api/admin/platform/trust-rollout");
/** The results of the checks, which run on request: a minute later they may differ. */
export const checksQuery = { ...read("/api/admin/platform/doctor"), staleTime: 0, refetchOnWindowFocus: false };
export const unknownRefusalsQuery = (skip: number) =>
  read("/api/admin/platform/refusals", { query: { skip, limit: 50 } });

export const createTenant = (body: Schemas["TenantCreate"]) => must(api.POST(TENANTS, { body }));
export const rotateAuthorities = (rotation: Rotation) => must(api.POST(AUTHORITIES, { body: { rotation } }));
