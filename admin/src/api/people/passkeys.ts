import { api, must, type Schemas } from "../client.ts";

const PASSKEYS = "/api/admin/passkeys";
export type OwnPasskey = Schemas["OwnPasskey"];

/** The steps of a passkey: the service asks, the browser answers. */
export const passkeys = {
  startSignIn: () => must(api.POST("/api/admin/sign-in/passkey/start")),
  signIn: (passkey: Schemas["PasskeySignature"]) =>
    must(api.POST("/api/admin/sign-in/passkey/complete", { body: { passkey } })),
  startCheck: () => must(api.POST("/api/admin/session/passkey/start")),
  giveFactor: (passkey: Schemas["PasskeySignature"]) =>
    must(api.POST("/api/admin/session/passkey/factor", { body: { passkey } })),
  stepUp: (passkey: Schemas["PasskeySignature"]) =>
    must(api.POST("/api/admin/session/passkey/step-up", { body: { passkey } })),
  startAdding: () => must(api.POST(`${PASSKEYS}/start`)),
  add: (body: Schemas["PasskeyCreate"]) => must(api.POST(PASSKEYS, { body })),
  rename: (id: string, name: string) =>
    must(api.PATCH(`${PASSKEYS}/{id}`, { params: { path: { id } }, body: { name } })),
  remove: (id: string) => must(api.DELETE(`${PASSKEYS}/{id}`, { params: { path: { id } } })),
};
