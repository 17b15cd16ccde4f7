import { z } from "zod";
import { id, label, timestamp } from "../../shapes.ts";

/** Bytes as the browser sends them. @param most the greatest number of characters */
const bytes = (most: number) =>
  z
    .string()
    .regex(/^[\w-]+$/, "must be base64url")
    .max(most);

/** A credential id has at most 1,023 bytes (WebAuthn 7.1). */
const credentialId = bytes(1_364).meta({ description: "The credential id, in base64url as every field" });

const clientDataJSON = bytes(4_096);

/** A signature by a passkey over the challenge that this browser was given. */
export const assertion = z
  .strictObject({
    id: credentialId,
    clientDataJSON,
    authenticatorData: bytes(4_096),
    signature: bytes(4_096),
    userHandle: bytes(88).optional().meta({ description: "The user whom the authenticator names" }),
  })
  .meta({ id: "PasskeySignature" });

export const ASSERTION_EXAMPLE = {
  id: "R2VuIDEgY3JlZGVudGlhbA",
  clientDataJSON: "eyJ0eXBlIjoid2ViYXV0aG4uZ2V0In0",
  authenticatorData: "SZYN5YgOjGh0NBcPZHZgW4_krrmihjLHmVzzuoMdl2MFAAAAAQ",
  signature: "MEUCIQDKg",
  userHandle: "AZnBwkoAfFWx0j5PWmt8jQ",
};

/** A passkey that the browser has made for the challenge that it was given. */
export const attestation = z.strictObject({
  id: credentialId,
  clientDataJSON,
  attestationObject: bytes(16_384),
  transports: z
    .array(z.string().regex(/^[a-z-]{1,32}$/, "must be a transport"))
    .max(8)
    .meta({ description: "How the browser reaches the authenticator" }),
});

export const ATTESTATION_EXAMPLE = {
  id: ASSERTION_EXAMPLE.id,
  clientDataJSON: "eyJ0eXBlIjoid2ViYXV0aG4uY3JlYXRlIn0",
  attestationObject: "o2NmbXRkbm9uZWdhdHRTdG10oGhhdXRoRGF0YVg",
  transports: ["internal"],
};

const transports = z.array(z.string());
const type = z.literal("public-key");
const named = z.array(z.strictObject({ type, id: z.string(), transports }));
const timeout = z.int().meta({ description: "In milliseconds" });

/** The options of a request for a signature. */
export const passkeyRequest = z
  .strictObject({
    challenge: z.string(),
    rpId: z.string(),
    timeout,
    userVerification: z.literal("required"),
    allowCredentials: named.meta({ description: "Empty: any passkey of this host" }),
  })
  .meta({ id: "PasskeyRequest" });

export const REQUEST_EXAMPLE = {
  challenge: "4uQ0mCw8S1yJYb2kq0Yd7mZ0m3pR1sTfVxG9hLkNoPa",
  rpId: "muster.acme.example",
  timeout: 300_000,
  userVerification: "required",
  allowCredentials: [{ type: "public-key", id: ASSERTION_EXAMPLE.id, transports: ["internal"] }],
};

/** The options of a request for a new passkey. */
export const newPasskeyRequest = z
  .strictObject({
    challenge: z.string(),
    rp: z.strictObject({ id: z.string(), name: z.string() }),
    user: z.strictObject({ id: z.string(), name: z.string(), displayName: z.string() }),
    pubKeyCredParams: z.array(z.strictObject({ type, alg: z.int() })),
    timeout,
    excludeCredentials: named,
    authenticatorSelection: z.strictObject({
      residentKey: z.literal("required"),
      requireResidentKey: z.literal(true),
      userVerification: z.literal("required"),
    }),
    attestation: z.literal("none"),
  })
  .meta({ id: "NewPasskeyRequest" });

export const NEW_REQUEST_EXAMPLE = {
  challenge: REQUEST_EXAMPLE.challenge,
  rp: { id: "muster.acme.example", name: "Muster at muster.acme.example" },
  user: { id: ASSERTION_EXAMPLE.userHandle, name: "ada@acme.example", displayName: "Ada Lovelace" },
  pubKeyCredParams: [{ type: "public-key", alg: -7 }],
  timeout: 300_000,
  excludeCredentials: [],
  authenticatorSelection: { residentKey: "required", requireResidentKey: true, userVerification: "required" },
  attestation: "none",
};

/** A passkey as its user sees it. */
export const ownPasskey = z
  .strictObject({ id, name: label(), createdAt: timestamp, lastUsedAt: timestamp.nullable() })
  .meta({ id: "OwnPasskey" });

export const PASSKEY_EXAMPLE = {
  id: "0199c1d2-4a00-7c55-b1d2-3e4f5a6b7c8d",
  name: "Laptop",
  createdAt: "2026-11-20T08:00:00.000Z",
  lastUsedAt: "2026-11-21T08:00:00.000Z",
};
