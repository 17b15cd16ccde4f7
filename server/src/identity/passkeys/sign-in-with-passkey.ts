import { lockCredentials } from "../../access/access.ts";
import { inTransaction } from "../../db/transaction.ts";
import { addressBlock } from "../../lib/address.ts";
import { isMusterError } from "../../lib/errors.ts";
import { requirePasskeySuffices } from "../credential-rule.ts";
import type { IdentityDeps } from "../deps.ts";
import { wrongPasskey } from "../errors.ts";
import { listFactorIds } from "../factors/factor-store.ts";
import { beginSession } from "../open-session.ts";
import type { SignedIn, Visit } from "../session.ts";
import { remembered } from "../sign-in.ts";
import { knownBrowserId } from "../throttle/known-browser.ts";
import { countedPasskeys, throttled } from "../throttle/throttle.ts";
import { openChallenge } from "./challenge.ts";
import type { FoundPasskey } from "./passkey-store.ts";
import {
  findPresented,
  type PasskeyRequest,
  type Presented,
  requestSignature,
  userHandle,
  verifySigned,
} from "./use-passkey.ts";

const USE = { purpose: "sign-in", sessionId: null } as const;

/**
 * Begins a sign-in with any passkey of this host. The service stores nothing.
 *
 * @throws MusterError invalid_request
 */
export async function startPasskeySignIn(deps: IdentityDeps): Promise<PasskeyRequest> {
  return requestSignature(deps, USE);
}

export interface PasskeySignIn extends Visit, Presented {
  /** The cookie of a known browser, if the request sent one. */
  browser?: string | undefined;
}

/**
 * Begins a session of the user whose passkey signed the challenge. The authenticator has verified the user, so that the
 * passkey counts as password and second factor.
 *
 * @throws MusterError challenge_expired, invalid_credentials, sign_in_throttled, sso_required
 */
export async function completePasskeySignIn(
  deps: IdentityDeps,
  { passkey, challengeCookie, browser, ...visit }: PasskeySignIn,
): Promise<SignedIn> {
  const challenge = openChallenge(deps, challengeCookie, USE);
  const found = await findPresented(deps, passkey);
  const attempt = async () => {
    if (!found?.user.isActive || passkey.userHandle !== userHandle(found.user.id)) throw wrongPasskey();
    const { take } = await verifySigned(deps, found, { passkey, opened: challenge });
    return await inTransaction(deps.database.db, async (tx) => {
      const credentials = await lockCredentials(tx, found.user.id);
      if (!credentials) throw wrongPasskey();
      requirePasskeySuffices(credentials);
      await take(tx);
      const how = { passkey: found.name };
      return await beginSession(deps, tx, { userId: found.user.id, givenFactorId: found.id, how }, visit);
    });
  };
  const isFailure = (error: unknown) => isMusterError(error, "invalid_credentials");
  const who = { email: found?.user.email ?? "", address: visit.address };
  const counted = await countedFor(deps, found, { address: visit.address, browser });
  return remembered(deps, await deps.failedSignIns.reported(who, () => throttled(deps, counted, attempt, isFailure)));
}

async function countedFor(
  deps: IdentityDeps,
  found: FoundPasskey | undefined,
  { address, browser }: { address: string; browser: string | undefined },
) {
  const user = found?.user;
  const factorIds = user ? await listFactorIds(deps.database.db, user.id) : [];
  const browserId = user && knownBrowserId(deps.knownBrowserKeys(), { userId: user.id, factorIds }, browser);
  return countedPasskeys(deps, { user, addressBlock: addressBlock(address), browserId });
}
