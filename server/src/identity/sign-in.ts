import type { KeyObject } from "node:crypto";
import { type FoundCredentials, findCredentials, verifyPassword } from "../access/access.ts";
import { inTransaction } from "../db/transaction.ts";
import { addressBlock } from "../lib/address.ts";
import { isMusterError } from "../lib/errors.ts";
import type { IdentityDeps } from "./deps.ts";
import { invalidCredentials } from "./errors.ts";
import { openSession } from "./open-session.ts";
import type { NewSession, Opened, SignedIn, Visit } from "./session.ts";
import { knownBrowserId, makeKnownBrowser } from "./throttle/known-browser.ts";
import { countedAtSignIn, throttled } from "./throttle/throttle.ts";

/** A hash that no password matches, so that an unknown address costs as much time as a known one. */
const NO_PASSWORD = "$argon2id$v=19$m=19456,t=2,p=1$bm8gcGFzc3dvcmQgaGFzaA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";

export interface SignIn extends Visit {
  email: string;
  password: string;
  /** The cookie of a known browser, if the request sent one. */
  browser?: string | undefined;
}

/**
 * Begins a session of the user with this address and password. A user with a second factor completes the sign-in with
 * its code.
 *
 * @throws MusterError invalid_credentials, sign_in_throttled, rate_limited
 */
export async function signIn(deps: IdentityDeps, { email, password, browser, ...visit }: SignIn): Promise<Opened> {
  const { database, hashGate, knownBrowserKeys } = deps;
  const found = await findCredentials(database.db, email);
  const browserId = browserOf(knownBrowserKeys(), found, browser);
  const counted = countedAtSignIn(deps, {
    email: found?.email ?? email,
    addressBlock: addressBlock(visit.address),
    browserId,
  });
  const attempt = async () => {
    const isRight = await hashGate.run(() => verifyPassword(password, found?.passwordHash || NO_PASSWORD));
    if (!found || !isRight) throw invalidCredentials();
    return await inTransaction(database.db, (tx) => openSession(deps, tx, found, visit));
  };
  const isFailure = (error: unknown) => isMusterError(error, "invalid_credentials");
  const who = { email, address: visit.address };
  const opened = await deps.failedSignIns.reported(who, () => throttled(deps, counted, attempt, isFailure));
  // A browser becomes known only after a complete sign-in; otherwise the password alone would yield any number of known
  // browsers.
  return opened.session.factor === "required" ? opened : remembered(deps, opened);
}

/**
 * Returns the id of a known browser. One known from before its user set up a second factor stays known for the password
 * check.
 */
function browserOf(keys: readonly KeyObject[], found: FoundCredentials | undefined, browser: string | undefined) {
  const holder = found && { userId: found.userId, factorIds: [...found.factorIds, null] };
  return knownBrowserId(keys, holder, browser);
}

/** Returns the session with the cookie that makes its browser known from now on. */
export function remembered(
  { knownBrowserKeys, ids }: Pick<IdentityDeps, "knownBrowserKeys" | "ids">,
  opened: NewSession,
): SignedIn {
  const { user, factorId } = opened.session;
  return { ...opened, browser: makeKnownBrowser(knownBrowserKeys()[0]!, { userId: user.id, factorId }, ids) };
}
