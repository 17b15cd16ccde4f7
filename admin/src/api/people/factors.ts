import { api, must, type Schemas } from "../client.ts";
import { read } from "../read.ts";

const FACTORS = "/api/admin/factors";
export type OwnFactors = Schemas["OwnFactors"];
export type NewFactor = Schemas["FactorCreate"];

/** The second factor of the signed-in user. */
export const factorsQuery = read(FACTORS);
/** Begins to set up a second factor. */
export const startFactor = () => must(api.POST(FACTORS));
/** Turns a factor on by one of its codes. @returns the recovery codes */
export const confirmFactor = async (id: string, code: string): Promise<readonly string[]> =>
  (await must(api.POST(`${FACTORS}/{id}/confirm`, { params: { path: { id } }, body: { code } }))).recoveryCodes;
export const removeFactor = (id: string) => must(api.DELETE(`${FACTORS}/{id}`, { params: { path: { id } } }));
/** Replaces the recovery codes. @returns the new ones */
export const renewRecoveryCodes = async (): Promise<readonly string[]> =>
  (await must(api.POST(`${FACTORS}/recovery-codes`))).recoveryCodes;
