import { lockCredentials } from "../../access/access.ts";
import { inTransaction } from "../../db/transaction.ts";
import { isMusterError } from "../../lib/errors.ts";
import { invalidRequest } from "../../lib/request-errors.ts";
import { requireCredentialsAllowed, requirePasskeySuffices } from "../credential-rule.ts";
import type { IdentityDeps } from "../deps.ts";
import { invalidCredentials } from "../errors.ts";
import { listFactorIds } from "../factors/factor-store.ts";
import { beginSession } from "../open-session.ts";
import type { Session, SignedIn, Visit } from "../session.ts";
import { deleteSessionOf, renewSession } from "../session-store.ts";
import { remembered } from "../sign-in.ts";
import { recordSession } from "../sign-in-events/record-session.ts";
import { knownBrowserId } from "../throttle/known-browser.ts";
import { countedCodes, throttled, throttledCode } from "../throttle/throttle.ts";
import { makeToken, tokenHash } from "../tokens.ts";
import { type PasskeyRequest, type Presented, requestOwn, verifyOwn } from "./use-passkey.ts";

/**
 * Asks for one of the user's own passkeys: as second factor of a sign-in, or to step up once that is complete.
 *
 * @throws MusterError invalid_request for a user without a passkey
 */
export async function startPasskeyCheck(deps: IdentityDeps, session: Session): Promise<PasskeyRequest> {
  if (!session.factorKinds.includes("passkey")) throw invalidRequest("You have no passkey.");
  return await requestOwn(deps, session, session.factor === "required" ? "factor" : "step-up");
}

/**
 * Completes a sign-in with a passkey as second factor; a new session replaces the incomplete one.
 *
 * @throws MusterError challenge_expired, invalid_credentials, invalid_request when the session lacks no factor,
 *   sign_in_throttled, sso_required
 */
export async function givePasskey(
  deps: IdentityDeps,
  session: Session,
  { passkey, challengeCookie, browser, ...visit }: Presented & Visit & { browser?: string | undefined },
): Promise<SignedIn> {
  if (session.factor !== "required") throw invalidRequest("This session needs no second factor.");
  const { database, knownBrowserKeys } = deps;
  const { user, provider } = session;
  const holder = { userId: user.id, factorIds: await listFactorIds(database.db, user.id) };
  const counted = countedCodes(deps, user.id, knownBrowserId(knownBrowserKeys(), holder, browser));
  const attempt = async () => {
    const { found, take } = await verifyOwn(deps, session, { passkey, challengeCookie, purpose: "factor" });
    return await inTransaction(database.db, async (tx) => {
      if (!(await lockCredentials(tx, user.id))) throw invalidCredentials();
      await take(tx);
      if (!(await deleteSessionOf(tx, user.id, session.id))) throw invalidCredentials();
      const how = { passkey: found.name };
      const verified = provider && { verifiedAt: session.verifiedAt };
      const begun = { userId: user.id, givenFactorId: found.id, how, provider, ...verified };
      return await beginSession(deps, tx, begun, visit);
    });
  };
  const isFailure = (error: unknown) => isMusterError(error, "invalid_credentials");
  const who = { email: user.email, address: visit.address };
  return remembered(deps, await deps.failedSignIns.reported(who, () => throttled(deps, counted, attempt, isFailure)));
}

/**
 * Verifies the user again by a passkey, which counts as password and second factor. The session gets a new token.
 *
 * @throws MusterError challenge_expired, invalid_credentials, sign_in_throttled, sso_required
 */
export async function stepUpWithPasskey(
  deps: IdentityDeps,
  session: Session,
  { address, ...presented }: Presented & Pick<Visit, "address">,
): Promise<{ token: string }> {
  const { database, ids, clock } = deps;
  const token = makeToken(ids);
  const attempt = async () => {
    const { found, take } = await verifyOwn(deps, session, { ...presented, purpose: "step-up" });
    await inTransaction(database.db, async (tx) => {
      const credentials = await lockCredentials(tx, session.user.id);
      if (!credentials) throw invalidCredentials();
      requirePasskeySuffices(credentials);
      await requireCredentialsAllowed(tx, session.user.id);
      await take(tx);
      await renewSession(tx, session.id, tokenHash(token), clock.now());
      const more = { passkey: found.name };
      await recordSession(deps, tx, session, { act: "session.step-up", address, more });
    });
  };
  const { id, email } = session.user;
  await deps.failedSignIns.reported({ email, address, actor: `user:${id}` }, () => throttledCode(deps, id, attempt));
  return { token };
}
