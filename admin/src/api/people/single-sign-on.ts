import { api, ifMatch, must, type Schemas } from "../client.ts";
import { readVersioned } from "../read.ts";

export const SINGLE_SIGN_ON = "/api/admin/single-sign-on";
export type SingleSignOn = Schemas["SingleSignOn"];
export type ProviderEdit = Schemas["SingleSignOnEdit"];

export const singleSignOnQuery = readVersioned(SINGLE_SIGN_ON);
export const saveSingleSignOn = (etag: string | undefined, body: ProviderEdit) =>
  must(api.PUT(SINGLE_SIGN_ON, { body, ...ifMatch(etag) }));
export const removeSingleSignOn = () => must(api.DELETE(SINGLE_SIGN_ON));
export const startProviderTest = () => must(api.POST(`${SINGLE_SIGN_ON}/test`));
export const completeProviderTest = (body: Schemas["ProviderAnswer"]) =>
  must(api.POST(`${SINGLE_SIGN_ON}/test/callback`, { body }));
