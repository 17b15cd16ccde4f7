import type { Tx } from "../../db/database.ts";
import { MINUTE } from "../../lib/clock.ts";
import type { IdentityDeps } from "../deps.ts";
import { copiedPasskey, wrongPasskey } from "../errors.ts";
import type { Session } from "../session.ts";
import {
  type ChallengePurpose,
  makeChallenge,
  type OpenedChallenge,
  openChallenge,
  useChallenge,
} from "./challenge.ts";
import { type FoundPasskey, findPasskey, listPasskeyRows, type PasskeyRow, recordPasskeyUse } from "./passkey-store.ts";
import { type Assertion, loadVerifier, relyingParty, verifyAssertion } from "./verify.ts";

/** A passkey that a browser presents, with the cookie of its challenge. */
export interface Presented {
  passkey: Assertion;
  challengeCookie: string | undefined;
}

/** The names of a credential for the browser (WebAuthn 5.8.3). */
export interface CredentialName {
  type: "public-key";
  id: string;
  transports: string[];
}

/** The options of a request for a signature (WebAuthn 5.5), and the cookie that binds it to this browser. */
export interface PasskeyRequest {
  options: {
    challenge: string;
    rpId: string;
    timeout: number;
    userVerification: "required";
    /** Empty: any passkey of this host. */
    allowCredentials: CredentialName[];
  };
  challengeCookie: string;
}

/** Returns a request for a signature by one of `passkeys`, or by any if there are none. */
export function requestSignature(
  deps: IdentityDeps,
  use: { purpose: ChallengePurpose; sessionId: string | null },
  passkeys: readonly PasskeyRow[] = [],
): PasskeyRequest {
  const { rpId } = relyingParty(deps);
  loadVerifier();
  const { challenge, cookie } = makeChallenge(deps, use);
  const timeout = deps.limits.passkeyMinutes * MINUTE;
  const options = { challenge, rpId, timeout, userVerification: "required" as const };
  return { options: { ...options, allowCredentials: passkeys.map(toName) }, challengeCookie: cookie };
}

/** Returns how a passkey is named to browsers. */
export function toName({ credential_id, transports }: PasskeyRow): CredentialName {
  return { type: "public-key", id: credential_id.toString("base64url"), transports };
}

/** Returns the id by which authenticators know a user (WebAuthn 5.4.3): the record's id, which says nothing else. */
export function userHandle(userId: string): string {
  return Buffer.from(userId.replaceAll("-", ""), "hex").toString("base64url");
}

/** Returns the passkey that a browser names, if there is one. */
export async function findPresented({ database }: IdentityDeps, { id }: Assertion): Promise<FoundPasskey | undefined> {
  return await findPasskey(database.db, Buffer.from(id, "base64url"));
}

/** A verified signature, not taken yet. */
export interface Signed {
  found: FoundPasskey;
  /**
   * Takes challenge and signature counter in the transaction of what they admit.
   *
   * @throws MusterError challenge_expired, invalid_credentials
   */
  take(tx: Tx): Promise<void>;
}

/**
 * Verifies the signature of a passkey over a challenge.
 *
 * @throws MusterError invalid_credentials
 */
export async function verifySigned(
  deps: IdentityDeps,
  found: FoundPasskey,
  { passkey, opened }: { passkey: Assertion; opened: OpenedChallenge },
): Promise<Signed> {
  const { challenge } = opened;
  const signCount = await verifyAssertion(deps, passkey, { challenge, publicKey: found.publicKey });
  const take = async (tx: Tx) => {
    await useChallenge(tx, opened);
    const used = await recordPasskeyUse(tx, { id: found.id, signCount, now: deps.clock.now() });
    if (used === "unknown") throw wrongPasskey();
    if (used === "back") throw copiedPasskey();
  };
  return { found, take };
}

/**
 * Verifies that one of the user's own passkeys signed a challenge of this session.
 *
 * @throws MusterError challenge_expired, invalid_credentials
 */
export async function verifyOwn(
  deps: IdentityDeps,
  { id: sessionId, user }: Pick<Session, "id" | "user">,
  { passkey, challengeCookie, purpose }: Presented & { purpose: ChallengePurpose },
): Promise<Signed> {
  const opened = openChallenge(deps, challengeCookie, { purpose, sessionId });
  const found = await findPresented(deps, passkey);
  const isOfUser = passkey.userHandle === undefined || passkey.userHandle === userHandle(user.id);
  if (found?.user.id !== user.id || !isOfUser) throw wrongPasskey();
  return await verifySigned(deps, found, { passkey, opened });
}

/** Returns a request for a signature by one of the user's own passkeys. */
export async function requestOwn(
  deps: IdentityDeps,
  { id: sessionId, user }: Pick<Session, "id" | "user">,
  purpose: ChallengePurpose,
): Promise<PasskeyRequest> {
  return requestSignature(deps, { purpose, sessionId }, await listPasskeyRows(deps.database.db, user.id));
}
