import { queryOptions } from "@tanstack/react-query";
import { api, must, type Schemas } from "./client.ts";
import { filled, keyOf } from "./queries.ts";

const LIST = "/api/admin/claims";
export const CLAIMS = LIST;

export type Claim = Schemas["Claim"];
export type CreatedClaim = Schemas["CreatedClaim"];

export const claimsQuery = (status: Claim["status"] | undefined, skip: number) =>
  queryOptions({
    queryKey: keyOf(LIST, { status, skip }),
    queryFn: ({ signal }) => must(api.GET(LIST, { params: { query: filled({ status, skip, limit: 50 }) }, signal })),
  });

export const claimQuery = (id: string) =>
  queryOptions({
    queryKey: keyOf(LIST, id),
    queryFn: ({ signal }) => must(api.GET("/api/admin/claims/{id}", { params: { path: { id } }, signal })),
    staleTime: 0,
  });

export function createClaim(body: Schemas["NewClaim"]) {
  return must(api.POST(LIST, { body }));
}

export function revokeClaim(id: string) {
  return must(api.DELETE("/api/admin/claims/{id}", { params: { path: { id } } }));
}

/** The code of a claim that was created in this window: it is shown until the page is reloaded, and stored nowhere. */
export const claimCodeQuery = (id: string) =>
  queryOptions({
    queryKey: ["claim code", id],
    queryFn: (): string | null => null,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: Number.POSITIVE_INFINITY,
  });
