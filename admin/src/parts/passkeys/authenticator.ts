import { t } from "#texts/passkeys.ts";
import type { Schemas } from "../../api/client.ts";
import { Problem } from "../../api/problem.ts";

/** Whether the browser can have passkeys for this address: browsers have none for IP addresses. */
export function hasPasskeys(): boolean {
  return window.PublicKeyCredential !== undefined && !/^[\d.]+$|^\[/.test(location.hostname);
}

/** Asks the user for a passkey, which signs the challenge. @throws Problem when none was used */
export async function signChallenge(options: Schemas["PasskeyRequest"]): Promise<Schemas["PasskeySignature"]> {
  const publicKey = {
    ...options,
    challenge: fromText(options.challenge),
    allowCredentials: options.allowCredentials.map(toDescriptor),
  };
  const credential = await asked(() => navigator.credentials.get({ publicKey }));
  const response = credential.response as AuthenticatorAssertionResponse;
  return {
    id: credential.id,
    clientDataJSON: toText(response.clientDataJSON),
    authenticatorData: toText(response.authenticatorData),
    signature: toText(response.signature),
    ...(response.userHandle && response.userHandle.byteLength > 0 ? { userHandle: toText(response.userHandle) } : {}),
  };
}

/** Asks the user to make a passkey. @throws Problem when none was made */
export async function makePasskey(options: Schemas["NewPasskeyRequest"]): Promise<NewPasskey> {
  const publicKey = {
    ...options,
    challenge: fromText(options.challenge),
    user: { ...options.user, id: fromText(options.user.id) },
    excludeCredentials: options.excludeCredentials.map(toDescriptor),
  };
  const credential = await asked(() => navigator.credentials.create({ publicKey }));
  const response = credential.response as AuthenticatorAttestationResponse;
  return {
    id: credential.id,
    clientDataJSON: toText(response.clientDataJSON),
    attestationObject: toText(response.attestationObject),
    transports: response.getTransports?.() ?? [],
  };
}

type NewPasskey = Schemas["PasskeyCreate"]["passkey"];

async function asked(ask: () => Promise<Credential | null>): Promise<PublicKeyCredential> {
  if (!hasPasskeys()) throw unused(t.thisBrowserHasNoPasskeys);
  const credential = await ask().catch((reason: unknown) => {
    const isKnown = reason instanceof DOMException && reason.name === "InvalidStateError";
    throw unused(isKnown ? t.thisAuthenticatorHasOne : t.noPasskeyWasUsed);
  });
  if (!(credential instanceof PublicKeyCredential)) throw unused(t.noPasskeyWasUsed);
  return credential;
}

/** A refusal of the browser, shown like one of the service. */
function unused(message: string): Problem {
  return new Problem(400, { error: "passkey_unused", message });
}

function toDescriptor({ type, id, transports }: Schemas["PasskeyRequest"]["allowCredentials"][number]) {
  return { type, id: fromText(id), transports: transports as AuthenticatorTransport[] };
}

/** Decodes base64url. */
function fromText(text: string): Uint8Array<ArrayBuffer> {
  const bytes = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  return Uint8Array.from(bytes, (byte) => byte.charCodeAt(0));
}

/** Encodes base64url without padding. */
function toText(bytes: ArrayBuffer): string {
  const text = btoa(String.fromCharCode(...new Uint8Array(bytes)));
  return text.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}
