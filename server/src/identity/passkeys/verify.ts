import { isIP } from "node:net";
import { invalidRequest } from "../../lib/request-errors.ts";
import type { IdentityDeps } from "../deps.ts";
import { wrongPasskey } from "../errors.ts";

/** The algorithms of accepted keys (COSE): EdDSA, ES256, RS256. */
export const ALGORITHMS = [-8, -7, -257];

/** The greatest size of a credential id (WebAuthn 7.1) and of a public key in bytes. */
const MOST_ID = 1_023;
const MOST_KEY = 2_048;

/** A signature of a passkey as the browser sends it; every field is base64url. */
export interface Assertion {
  /** The credential id. */
  id: string;
  clientDataJSON: string;
  authenticatorData: string;
  signature: string;
  /** The id of the user that the authenticator stores. */
  userHandle?: string | undefined;
}

/** A new passkey as the browser sends it. */
export interface Attestation {
  id: string;
  clientDataJSON: string;
  attestationObject: string;
}

/** A new credential whose response was verified. */
export interface NewCredential {
  credentialId: Buffer;
  publicKey: Buffer;
  signCount: number;
}

/**
 * Returns the relying party: the host of the base address, and its origin.
 *
 * @throws MusterError invalid_request where the host is an IP address, for which browsers have no passkeys
 */
export function relyingParty({ baseUrl }: Pick<IdentityDeps, "baseUrl">): { rpId: string; origin: string } {
  const { hostname, origin } = new URL(baseUrl());
  if (isIP(hostname.replaceAll(/[[\]]/g, "")) !== 0)
    throw invalidRequest("Passkeys need a host name, but MUSTER_BASE_URL has an IP address.");
  return { rpId: hostname, origin };
}

/**
 * Begins to load the library, which takes a second and 26 MB: a process that sees no passkeys does without it. A
 * failure shows when a response is verified.
 */
export function loadVerifier(): void {
  import("@simplewebauthn/server").catch(() => undefined);
}

/**
 * Verifies a signature over `challenge` (WebAuthn 7.2), with the user verified by the authenticator. The caller
 * compares the signature counter.
 *
 * @returns the signature counter
 * @throws MusterError invalid_credentials
 */
export async function verifyAssertion(
  deps: Pick<IdentityDeps, "baseUrl">,
  { id, userHandle, ...signed }: Assertion,
  { challenge, publicKey }: { challenge: string; publicKey: Buffer },
): Promise<number> {
  const { rpId, origin } = relyingParty(deps);
  refuseFrames(signed.clientDataJSON);
  const { verifyAuthenticationResponse } = await import("@simplewebauthn/server");
  const response = { ...signed, ...(userHandle === undefined ? {} : { userHandle }) };
  const { verified, authenticationInfo } = await accepted(() =>
    verifyAuthenticationResponse({
      response: { id, rawId: id, type: "public-key", response, clientExtensionResults: {} },
      expectedChallenge: challenge,
      expectedOrigin: origin,
      expectedRPID: rpId,
      requireUserVerification: true,
      credential: { id, publicKey: new Uint8Array(publicKey), counter: 0 },
    }),
  );
  if (!verified) throw wrongPasskey();
  return authenticationInfo.newCounter;
}

/**
 * Verifies a new passkey (WebAuthn 7.1). Attestations with certificates are refused: none was asked for, and verifying
 * them could lead to addresses that a certificate names.
 *
 * @throws MusterError invalid_credentials
 */
export async function verifyAttestation(
  deps: Pick<IdentityDeps, "baseUrl">,
  { id, ...response }: Attestation,
  challenge: string,
): Promise<NewCredential> {
  const { rpId, origin } = relyingParty(deps);
  refuseFrames(response.clientDataJSON);
  const { verifyRegistrationResponse } = await import("@simplewebauthn/server");
  const { decodeAttestationObject } = await import("@simplewebauthn/server/helpers");
  const { registrationInfo } = await accepted(async () => {
    const attested = decodeAttestationObject(new Uint8Array(Buffer.from(response.attestationObject, "base64url")));
    const format = attested.get("fmt");
    const isOwn = format === "packed" && attested.get("attStmt").get("x5c") === undefined;
    if (format !== "none" && !isOwn) throw new Error("an attestation that was not asked for");
    return await verifyRegistrationResponse({
      response: { id, rawId: id, type: "public-key", response, clientExtensionResults: {} },
      expectedChallenge: challenge,
      expectedOrigin: origin,
      expectedRPID: rpId,
      requireUserVerification: true,
      supportedAlgorithmIDs: ALGORITHMS,
    });
  });
  if (registrationInfo?.credential.id !== id) throw wrongPasskey();
  const { publicKey, counter } = registrationInfo.credential;
  const credentialId = Buffer.from(id, "base64url");
  if (credentialId.length > MOST_ID || publicKey.length > MOST_KEY) throw wrongPasskey();
  return { credentialId, publicKey: Buffer.from(publicKey), signCount: counter };
}

/** Refuses a response from a frame of another site (WebAuthn 5.8.1): the app is never shown in one. */
function refuseFrames(clientDataJSON: string): void {
  let crossOrigin: unknown;
  try {
    ({ crossOrigin } = JSON.parse(Buffer.from(clientDataJSON, "base64url").toString("utf8")));
  } catch {
    throw wrongPasskey();
  }
  if (crossOrigin !== undefined && crossOrigin !== false) throw wrongPasskey();
}

/** Runs a check of the library; whatever it throws, the response is not accepted. */
async function accepted<T>(verify: () => Promise<T>): Promise<T> {
  try {
    return await verify();
  } catch {
    throw wrongPasskey();
  }
}
