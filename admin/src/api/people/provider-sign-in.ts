import { api, must, type Schemas } from "../client.ts";

/** The name that a person signs in with: a tenant, or an address whose domain belongs to one. */
export type SignInName = Schemas["SignInName"];

export const showSignInMethods = (body: SignInName) => must(api.POST("/api/admin/sign-in/methods", { body }));
export const startProviderSignIn = (body: SignInName) => must(api.POST("/api/admin/sign-in/oidc/start", { body }));
export const completeProviderSignIn = (query: string) =>
  must(api.POST("/api/admin/sign-in/oidc/callback", { body: { query } }));
export const startProviderStepUp = (body: Schemas["ProviderStepUp"]) =>
  must(api.POST("/api/admin/session/oidc/start", { body }));
export const completeProviderStepUp = (query: string) =>
  must(api.POST("/api/admin/session/oidc/callback", { body: { query } }));
