import { api, must, type Schemas } from "../client.ts";

/** The name that a person signs in with: a tenant, or an address whose domain belongs to one. */
export type SignInName = Schemas["SignInName"];

/** The answer of a provider, with the tenant whose page it opened. */
export type ProviderAnswer = Schemas["ProviderAnswer"];

export const showSignInMethods = (body: SignInName) => must(api.POST("/api/admin/sign-in/methods", { body }));
export const startProviderSignIn = (body: SignInName) => must(api.POST("/api/admin/sign-in/oidc/start", { body }));
export const completeProviderSignIn = (body: ProviderAnswer) =>
  must(api.POST("/api/admin/sign-in/oidc/callback", { body }));
export const startProviderStepUp = (body: Schemas["ProviderStepUp"]) =>
  must(api.POST("/api/admin/session/oidc/start", { body }));
export const completeProviderStepUp = (body: ProviderAnswer) =>
  must(api.POST("/api/admin/session/oidc/callback", { body }));
