import { lockFactorRule } from "../../access/access.ts";
import type { Tx } from "../../db/database.ts";
import { inTransaction } from "../../db/transaction.ts";
import { MINUTE } from "../../lib/clock.ts";
import { isUuid } from "../../lib/ids.ts";
import { alreadyExists, invalidRequest, notFound } from "../../lib/request-errors.ts";
import { plainLine } from "../../lib/text.ts";
import type { IdentityDeps } from "../deps.ts";
import { listFactorIds } from "../factors/factor-store.ts";
import { leaveFactor, lockOwner, newRecoveryCodes, recordFactorAct } from "../factors/owned-factor.ts";
import type { Session, SignedIn } from "../session.ts";
import { deleteOtherSessions, renewWithFactor } from "../session-store.ts";
import { makeKnownBrowser } from "../throttle/known-browser.ts";
import { makeToken, tokenHash } from "../tokens.ts";
import { makeChallenge, openChallenge, useChallenge } from "./challenge.ts";
import { type OwnPasskey, toOwnPasskey } from "./list-factors.ts";
import { deletePasskey, insertPasskey, listPasskeyRows, renamePasskeyRow } from "./passkey-store.ts";
import { type CredentialName, toName, userHandle } from "./use-passkey.ts";
import { ALGORITHMS, type Attestation, loadVerifier, relyingParty, verifyAttestation } from "./verify.ts";

/** The options of a request for a new passkey (WebAuthn 5.4), and the cookie that binds it to this browser. */
export interface NewPasskeyRequest {
  options: {
    challenge: string;
    rp: { id: string; name: string };
    user: { id: string; name: string; displayName: string };
    pubKeyCredParams: { type: "public-key"; alg: number }[];
    timeout: number;
    /** The user's passkeys, so that an authenticator does not add a second one. */
    excludeCredentials: CredentialName[];
    authenticatorSelection: { residentKey: "required"; requireResidentKey: true; userVerification: "required" };
    attestation: "none";
  };
  challengeCookie: string;
}

/**
 * Asks the browser to make a passkey that can sign in by itself: it names its user, whom the authenticator verifies.
 *
 * @throws MusterError invalid_request for a user with too many passkeys
 */
export async function startPasskey(deps: IdentityDeps, session: Session): Promise<NewPasskeyRequest> {
  const { database, limits } = deps;
  const { rpId } = relyingParty(deps);
  loadVerifier();
  const { user, profile } = session;
  const rows = await listPasskeyRows(database.db, user.id);
  requireRoom(deps, rows.length);
  const { challenge, cookie } = makeChallenge(deps, { purpose: "add", sessionId: session.id });
  const options: NewPasskeyRequest["options"] = {
    challenge,
    rp: { id: rpId, name: `Muster at ${rpId}` },
    user: { id: userHandle(user.id), name: user.email, displayName: profile.name ?? user.email },
    pubKeyCredParams: ALGORITHMS.map((alg) => ({ type: "public-key", alg })),
    timeout: limits.passkeyMinutes * MINUTE,
    excludeCredentials: rows.map(toName),
    authenticatorSelection: { residentKey: "required", requireResidentKey: true, userVerification: "required" },
    attestation: "none",
  };
  return { options, challengeCookie: cookie };
}

/** A new passkey. The first factor of a user comes with recovery codes, and renews the session. */
export interface AddedPasskey extends Partial<Omit<SignedIn, "session">> {
  passkey: OwnPasskey;
  /** Shown only in this answer; empty unless it is the first factor. */
  recoveryCodes: string[];
}

export interface AddPasskey {
  name: string;
  passkey: Attestation & { transports: readonly string[] };
  challengeCookie: string | undefined;
  address: string;
}

/**
 * Adds a passkey that the browser has made. If it is the user's first factor, the other sessions end, and this one gets
 * a new token.
 *
 * @throws MusterError challenge_expired, invalid_credentials, invalid_request, already_exists, not_found
 */
export async function addPasskey(deps: IdentityDeps, session: Session, added: AddPasskey): Promise<AddedPasskey> {
  const { database, clock, ids } = deps;
  const name = plainLine("name", added.name);
  const { transports, ...attestation } = added.passkey;
  const opened = openChallenge(deps, added.challengeCookie, { purpose: "add", sessionId: session.id });
  const { credentialId, publicKey, signCount } = await verifyAttestation(deps, attestation, opened.challenge);
  const now = clock.now();
  const row = {
    id: ids.uuid(now),
    user_id: session.user.id,
    name,
    credential_id: credentialId,
    public_key: publicKey,
    sign_count: String(signCount),
    transports: [...transports],
    created_at: now,
  };
  return await inTransaction(database.db, async (tx) => {
    await lockOwner(tx, session);
    await useChallenge(tx, opened);
    const isFirst = (await listFactorIds(tx, session.user.id)).length === 0;
    requireRoom(deps, (await listPasskeyRows(tx, session.user.id)).length);
    if (!(await insertPasskey(tx, row))) throw alreadyExists("This passkey was added before.", name);
    await recordFactorAct(deps, tx, session, {
      act: "user.add-passkey",
      address: added.address,
      after: { passkey: name },
    });
    const passkey = toOwnPasskey({ ...row, last_used_at: null });
    return { passkey, ...(isFirst ? await begin(deps, tx, session, row.id) : { recoveryCodes: [] }) };
  });
}

/** Begins the use of second factors by a user who had none. */
async function begin(deps: IdentityDeps, tx: Tx, { id, user }: Session, factorId: string) {
  const { ids, knownBrowserKeys } = deps;
  const token = makeToken(ids);
  await deleteOtherSessions(tx, user.id, id);
  if (!(await renewWithFactor(tx, id, tokenHash(token), factorId))) throw notFound("session");
  const browser = makeKnownBrowser(knownBrowserKeys()[0]!, { userId: user.id, factorId }, ids);
  return { recoveryCodes: await newRecoveryCodes(deps, tx, user.id), token, browser };
}

function requireRoom({ limits }: IdentityDeps, passkeys: number): void {
  if (passkeys < limits.passkeysOfUser) return;
  throw invalidRequest(`You have ${limits.passkeysOfUser} passkeys already, which is the limit.`, "passkeysOfUser");
}

/** Renames one of the user's passkeys. @throws MusterError not_found, invalid_request */
export async function renamePasskey(
  deps: IdentityDeps,
  session: Session,
  { id, name, address }: { id: string; name: string; address: string },
): Promise<OwnPasskey> {
  const wanted = plainLine("name", name);
  return await inTransaction(deps.database.db, async (tx) => {
    await lockOwner(tx, session);
    const renamed = isUuid(id) ? await renamePasskeyRow(tx, { userId: session.user.id, id, name: wanted }) : undefined;
    if (!renamed) throw notFound("passkey");
    const states = { before: { passkey: renamed.before }, after: { passkey: wanted } };
    if (renamed.before !== wanted)
      await recordFactorAct(deps, tx, session, { act: "user.rename-passkey", address, ...states });
    return toOwnPasskey(renamed.row);
  });
}

/**
 * Removes one of the user's passkeys. Other sessions in which it was given end. The recovery codes go with the last
 * factor.
 *
 * @throws MusterError not_found, factor_mandatory
 */
export async function removePasskey(
  deps: IdentityDeps,
  session: Session,
  { id, address }: { id: string; address: string },
): Promise<void> {
  await inTransaction(deps.database.db, async (tx) => {
    // One lock covers the rule and the admin's factors, so one of two concurrent changes is refused.
    const rule = await lockFactorRule(tx, session.tenant.id);
    const { role } = await lockOwner(tx, session);
    const name = isUuid(id) ? await deletePasskey(tx, session.user.id, id) : undefined;
    if (name === undefined) throw notFound("passkey");
    await leaveFactor(tx, session, { id, isMandatory: rule && role === "admin" });
    await recordFactorAct(deps, tx, session, { act: "user.remove-passkey", address, after: { passkey: name } });
  });
}
