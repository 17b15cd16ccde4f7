import { queryOptions } from "@tanstack/react-query";
import { api, must, type Schemas } from "./client.ts";
import { read } from "./read.ts";

export const CLAIMS = "/api/admin/claims";
export type Claim = Schemas["Claim"];
export type CreatedClaim = Schemas["CreatedClaim"];

export const claimsQuery = (status: Claim["status"] | undefined, skip: number) =>
  read(CLAIMS, { query: { status, skip, limit: 50 } });
export const claimQuery = (id: string) => ({ ...read(`${CLAIMS}/{id}`, { path: { id } }), staleTime: 0 });
export const createClaim = (body: Schemas["ClaimCreate"]) => must(api.POST(CLAIMS, { body }));
export const revokeClaim = (id: string) => must(api.DELETE(`${CLAIMS}/{id}`, { params: { path: { id } } }));

/** The code of a claim created in this window. It is shown until the page is reloaded and is stored nowhere. */
export const claimCodeQuery = (id: string) =>
  queryOptions({
    queryKey: ["claim-code", id],
    queryFn: (): string | null => null,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: Number.POSITIVE_INFINITY,
  });
