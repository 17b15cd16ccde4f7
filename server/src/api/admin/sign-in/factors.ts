import { z } from "zod";
import { identityServices } from "../../../identity/identity.ts";
import { withSession } from "../../pipeline/cookies.ts";
import { accountRoute } from "../../route.ts";
import { id, idParams, timestamp } from "../../shapes.ts";
import { ownPasskey, PASSKEY_EXAMPLE } from "./passkey-shapes.ts";
import { code } from "./session.ts";

const TAG = "Session";
const ID = "0199c1d2-4a00-7c55-b1d2-3e4f5a6b7c8d";

const ownFactor = z.strictObject({ id, createdAt: timestamp }).meta({ id: "OwnFactor" });

const recoveryCodes = z
  .strictObject({
    recoveryCodes: z
      .array(z.string())
      .meta({ description: "The recovery codes, shown only in this answer; each is accepted once" }),
  })
  .meta({ id: "RecoveryCodes" });
const CODES = { recoveryCodes: ["7K3M-0Q8Z-XT4V-91BC", "D2HN-5RWA-8Y0E-JX6T"] };

export const listFactors = accountRoute({
  service: identityServices.listFactors,
  operationId: "listFactors",
  method: "GET",
  path: "/api/admin/factors",
  tag: TAG,
  summary: "Show your second factors",
  description: "The authenticator app, if there is one, the passkeys, and the number of unused recovery codes.",
  status: 200,
  response: z
    .strictObject({
      items: z.array(ownFactor).meta({ description: "The authenticator app, if there is one" }),
      passkeys: z.array(ownPasskey),
      recoveryCodesLeft: z.int(),
      mandatory: z
        .boolean()
        .meta({ description: "Whether the tenant requires a second factor of its admins, and you are one" }),
    })
    .meta({ id: "OwnFactors" }),
  evenWithout: ["factor"],
  errors: [],
  examples: {
    response: {
      items: [{ id: ID, createdAt: "2026-11-20T08:00:00.000Z" }],
      passkeys: [PASSKEY_EXAMPLE],
      recoveryCodesLeft: 10,
      mandatory: false,
    },
  },
  handler: ({ session }, _input, listFactors) => listFactors(session),
});

export const startFactor = accountRoute({
  service: identityServices.startFactor,
  operationId: "startFactor",
  method: "POST",
  path: "/api/admin/factors",
  tag: TAG,
  summary: "Start setting up an authenticator app",
  description:
    "Returns the secret for an authenticator app (TOTP, RFC 6238: SHA-1, 30 seconds, six digits). Nothing changes until one of its codes is entered, within 30 minutes; it then replaces the present app, if any.",
  status: 201,
  response: z
    .strictObject({
      id,
      secret: z.string().meta({ description: "Base32, for typing into the app; shown only in this answer" }),
      uri: z.string().meta({ description: "The same as an `otpauth:` URI, for a QR code" }),
      expiresAt: timestamp,
    })
    .meta({ id: "FactorCreate" }),
  evenWithout: ["factor"],
  secret: true,
  errors: [],
  examples: {
    response: {
      id: ID,
      secret: "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ",
      uri: "otpauth://totp/Muster%20at%20muster.acme.example:ada%40acme.example?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=Muster%20at%20muster.acme.example&algorithm=SHA1&digits=6&period=30",
      expiresAt: "2026-11-20T08:30:00.000Z",
    },
  },
  handler: ({ session }, _input, startFactor) => startFactor(session),
});

export const confirmFactor = accountRoute({
  service: identityServices.confirmFactor,
  operationId: "confirmFactor",
  method: "POST",
  path: "/api/admin/factors/{id}/confirm",
  tag: TAG,
  summary: "Activate the authenticator app being set up",
  description:
    "Activates the app with a code from it. From then on every sign-in needs a second factor. Your other sessions end; this one gets a new cookie. Returns the recovery codes.",
  params: idParams,
  body: z.strictObject({ code }).meta({ id: "FactorCode" }),
  status: 200,
  response: recoveryCodes,
  evenWithout: ["factor"],
  secret: true,
  errors: ["not_found", "invalid_credentials", "sign_in_throttled"],
  examples: { body: { code: "081804" }, response: CODES },
  handler: async ({ session, address }, { params, body }, confirmFactor) => {
    const { recoveryCodes, ...cookies } = await confirmFactor(session, { id: params.id, code: body.code, address });
    return withSession({ recoveryCodes }, cookies);
  },
});

export const removeFactor = accountRoute({
  service: identityServices.removeFactor,
  operationId: "removeFactor",
  method: "DELETE",
  path: "/api/admin/factors/{id}",
  tag: TAG,
  summary: "Remove your authenticator app",
  description:
    "The recovery codes go with the last second factor. An admin of a tenant that requires a second factor of its admins sets up another one first.",
  params: idParams,
  status: 204,
  errors: ["not_found", "factor_mandatory"],
  examples: {},
  handler: ({ session, address }, { params }, removeFactor) => removeFactor(session, { id: params.id, address }),
});

export const renewRecoveryCodes = accountRoute({
  service: identityServices.renewRecoveryCodes,
  operationId: "renewRecoveryCodes",
  method: "POST",
  path: "/api/admin/factors/recovery-codes",
  tag: TAG,
  summary: "Generate new recovery codes",
  description: "The previous codes become invalid.",
  status: 201,
  response: recoveryCodes,
  secret: true,
  errors: ["not_found"],
  examples: { response: CODES },
  handler: ({ session, address }, _input, renewRecoveryCodes) => renewRecoveryCodes(session, address),
});
