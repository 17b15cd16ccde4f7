import { z } from "zod";
import { identityServices } from "../../../identity/identity.ts";
import { withChallenge, withSession } from "../../pipeline/cookies.ts";
import { accountRoute, openRoute } from "../../route.ts";
import { idParams, label } from "../../shapes.ts";
import {
  ASSERTION_EXAMPLE,
  ATTESTATION_EXAMPLE,
  assertion,
  attestation,
  NEW_REQUEST_EXAMPLE,
  newPasskeyRequest,
  ownPasskey,
  PASSKEY_EXAMPLE,
  passkeyRequest,
  REQUEST_EXAMPLE,
} from "./passkey-shapes.ts";
import { SESSION_EXAMPLE, sessionRecord, withSessionOf } from "./session.ts";

const TAG = "Session";

const signed = z.strictObject({ passkey: assertion }).meta({ id: "SignedByPasskey" });
const SIGNED_EXAMPLE = { passkey: ASSERTION_EXAMPLE };

export const startPasskeySignIn = openRoute({
  service: identityServices.startPasskeySignIn,
  operationId: "startPasskeySignIn",
  method: "POST",
  path: "/api/admin/sign-in/passkey/start",
  tag: TAG,
  summary: "Begin a sign-in with a passkey",
  description:
    "Returns the options for `navigator.credentials.get` (WebAuthn), which accept any passkey of this host. A cookie binds the challenge to this browser for five minutes.",
  status: 200,
  response: passkeyRequest,
  errors: ["invalid_request"],
  examples: { response: { ...REQUEST_EXAMPLE, allowCredentials: [] } },
  handler: async (_visitor, _input, startPasskeySignIn) => {
    const { options, challengeCookie } = await startPasskeySignIn();
    return withChallenge(options, challengeCookie);
  },
});

export const completePasskeySignIn = openRoute({
  service: identityServices.completePasskeySignIn,
  operationId: "completePasskeySignIn",
  method: "POST",
  path: "/api/admin/sign-in/passkey/complete",
  tag: TAG,
  summary: "Sign in with a passkey",
  description:
    "Starts a session of the user whose passkey signed the challenge, once. It needs neither a password nor a code, because the authenticator has verified the user.",
  takesChallenge: true,
  body: signed,
  status: 200,
  response: sessionRecord,
  errors: ["challenge_expired", "invalid_credentials", "sign_in_throttled", "sso_required"],
  examples: {
    body: SIGNED_EXAMPLE,
    response: { ...SESSION_EXAMPLE, factor: "given", factorKinds: ["passkey"] },
  },
  handler: async (visitor, { body, challengeCookie }, completePasskeySignIn) => {
    const { operationsOf: _, ...visit } = visitor;
    return withSessionOf(await completePasskeySignIn({ ...body, challengeCookie, ...visit }), visitor);
  },
});

export const startPasskeyCheck = accountRoute({
  service: identityServices.startPasskeyCheck,
  operationId: "startPasskeyCheck",
  method: "POST",
  path: "/api/admin/session/passkey/start",
  tag: TAG,
  summary: "Begin to give one of your passkeys",
  description:
    "Returns the options for `navigator.credentials.get`: to complete a sign-in that lacks the second factor, otherwise to confirm who you are. A cookie binds the challenge to this browser for five minutes.",
  status: 200,
  response: passkeyRequest,
  evenWithout: ["code", "factor"],
  errors: ["invalid_request"],
  examples: { response: REQUEST_EXAMPLE },
  handler: async ({ session }, _input, startPasskeyCheck) => {
    const { options, challengeCookie } = await startPasskeyCheck(session);
    return withChallenge(options, challengeCookie);
  },
});

export const givePasskey = accountRoute({
  service: identityServices.givePasskey,
  operationId: "givePasskey",
  method: "POST",
  path: "/api/admin/session/passkey/factor",
  tag: TAG,
  summary: "Complete the sign-in with a passkey as second factor",
  description: "The challenge is accepted once. The session gets a new cookie.",
  takesChallenge: true,
  body: signed,
  status: 200,
  response: sessionRecord,
  evenWithout: ["code"],
  errors: ["challenge_expired", "invalid_credentials", "sign_in_throttled", "sso_required"],
  examples: {
    body: SIGNED_EXAMPLE,
    response: { ...SESSION_EXAMPLE, factor: "given", factorKinds: ["passkey"] },
  },
  handler: async (holder, { body, challengeCookie }, givePasskey) => {
    const { session, operationsOf: _, ...visit } = holder;
    return withSessionOf(await givePasskey(session, { ...body, challengeCookie, ...visit }), holder);
  },
});

export const stepUpWithPasskey = accountRoute({
  service: identityServices.stepUpWithPasskey,
  operationId: "stepUpWithPasskey",
  method: "POST",
  path: "/api/admin/session/passkey/step-up",
  tag: TAG,
  summary: "Confirm who you are with a passkey",
  description:
    "Permits dangerous operations for ten minutes, as password and second factor do. The session gets a new cookie.",
  takesChallenge: true,
  body: signed,
  status: 204,
  errors: ["challenge_expired", "invalid_credentials", "sign_in_throttled", "sso_required"],
  examples: { body: SIGNED_EXAMPLE },
  handler: async ({ session, address }, { body, challengeCookie }, stepUpWithPasskey) =>
    withSession(undefined, await stepUpWithPasskey(session, { ...body, challengeCookie, address })),
});

export const startPasskey = accountRoute({
  service: identityServices.startPasskey,
  operationId: "startPasskey",
  method: "POST",
  path: "/api/admin/passkeys/start",
  tag: TAG,
  summary: "Begin to add a passkey",
  description:
    "Returns the options for `navigator.credentials.create`. A cookie binds the challenge to this browser for five minutes.",
  status: 200,
  response: newPasskeyRequest,
  evenWithout: ["factor"],
  errors: ["invalid_request"],
  examples: { response: NEW_REQUEST_EXAMPLE },
  handler: async ({ session }, _input, startPasskey) => {
    const { options, challengeCookie } = await startPasskey(session);
    return withChallenge(options, challengeCookie);
  },
});

export const addPasskey = accountRoute({
  service: identityServices.addPasskey,
  operationId: "addPasskey",
  method: "POST",
  path: "/api/admin/passkeys",
  tag: TAG,
  summary: "Add a passkey",
  description:
    "Adds the passkey that the browser has made, at most ten per user. If it is your first second factor, every sign-in needs one from then on: your other sessions end, this one gets a new cookie, and the answer has recovery codes.",
  takesChallenge: true,
  body: z.strictObject({ name: label(), passkey: attestation }).meta({ id: "PasskeyCreate" }),
  status: 201,
  response: z
    .strictObject({
      passkey: ownPasskey,
      recoveryCodes: z.array(z.string()).meta({
        description: "Empty unless it is the first second factor; shown only in this answer",
      }),
    })
    .meta({ id: "AddedPasskey" }),
  evenWithout: ["factor"],
  secret: true,
  errors: ["challenge_expired", "invalid_credentials", "already_exists", "not_found"],
  examples: {
    body: { name: "Laptop", passkey: ATTESTATION_EXAMPLE },
    response: { passkey: { ...PASSKEY_EXAMPLE, lastUsedAt: null }, recoveryCodes: [] },
  },
  handler: async ({ session, address }, { body, challengeCookie }, addPasskey) => {
    const { passkey, recoveryCodes, ...cookies } = await addPasskey(session, { ...body, challengeCookie, address });
    return withSession({ passkey, recoveryCodes }, cookies);
  },
});

export const renamePasskey = accountRoute({
  service: identityServices.renamePasskey,
  operationId: "renamePasskey",
  method: "PATCH",
  path: "/api/admin/passkeys/{id}",
  tag: TAG,
  summary: "Rename one of your passkeys",
  description: "The name is shown to you and in the audit.",
  params: idParams,
  body: z.strictObject({ name: label() }).meta({ id: "PasskeyUpdate" }),
  status: 200,
  response: ownPasskey,
  errors: ["not_found"],
  examples: { body: { name: "Laptop" }, response: PASSKEY_EXAMPLE },
  handler: ({ session, address }, { params, body }, renamePasskey) =>
    renamePasskey(session, { ...params, ...body, address }),
});

export const removePasskey = accountRoute({
  service: identityServices.removePasskey,
  operationId: "removePasskey",
  method: "DELETE",
  path: "/api/admin/passkeys/{id}",
  tag: TAG,
  summary: "Remove one of your passkeys",
  description:
    "Your other sessions in which it was given end. The recovery codes go with the last second factor, which an admin of a tenant that requires one cannot remove.",
  params: idParams,
  status: 204,
  errors: ["not_found", "factor_mandatory"],
  examples: {},
  handler: ({ session, address }, { params }, removePasskey) => removePasskey(session, { ...params, address }),
});
