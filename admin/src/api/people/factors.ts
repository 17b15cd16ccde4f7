import { queryOptions } from "@tanstack/react-query";
import { api, must, type Schemas } from "../client.ts";
import { keyOf } from "../queries.ts";

const FACTORS = "/api/admin/factors";

export type OwnFactors = Schemas["OwnFactors"];
export type NewFactor = Schemas["NewFactor"];

/** The second factor of the signed-in user. */
export const factorsQuery = queryOptions({
  queryKey: keyOf(FACTORS),
  queryFn: ({ signal }) => must(api.GET(FACTORS, { signal })),
});

/** Begins to set up a second factor. */
export function startFactor() {
  return must(api.POST(FACTORS));
}

/** Turns it on by a code of it. @returns the recovery codes */
export async function confirmFactor(id: string, code: string): Promise<readonly string[]> {
  const path = { id };
  return (await must(api.POST(`${FACTORS}/{id}/confirm`, { params: { path }, body: { code } }))).recoveryCodes;
}

export function removeFactor(id: string) {
  return must(api.DELETE(`${FACTORS}/{id}`, { params: { path: { id } } }));
}

/** New recovery codes in place of the former ones. */
export async function renewRecoveryCodes(): Promise<readonly string[]> {
  return (await must(api.POST(`${FACTORS}/recovery-codes`))).recoveryCodes;
}
