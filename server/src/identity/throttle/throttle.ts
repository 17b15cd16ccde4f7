import { createHash } from "node:crypto";
import type { Tx } from "../../db/database.ts";
import { inTransaction } from "../../db/transaction.ts";
import { addMs, HOUR, MINUTE } from "../../lib/clock.ts";
import { isMusterError } from "../../lib/errors.ts";
import { mailboxOf, normalizeEmailAddress } from "../../lib/mail/email-address.ts";
import type { IdentityDeps } from "../deps.ts";
import { signInThrottled } from "../errors.ts";
import { countAttempt, throttledUntil, uncountAttempt } from "./throttle-store.ts";

/** A subject of counted failures. */
export interface Counted {
  subject: Buffer;
  /** The account concerned; a reset forgets its failures. */
  account: Buffer | null;
  most: number;
  windowMs: number;
}

type Deps = Pick<IdentityDeps, "database" | "clock" | "limits">;

const WINDOW_MS = 10 * MINUTE;
const DAY_MS = 24 * HOUR;

/**
 * Returns the key of an account by its address, whether or not the account exists, so that no response reveals that.
 */
export function accountOf(email: string): Buffer {
  return hashOf("account", accountKey(email));
}

function accountKey(email: string): string {
  return normalizeEmailAddress(email).toLowerCase();
}

/**
 * Returns the counters of a sign-in. Unknown browsers share the counters of the account and of their address. A browser
 * that signed in to this account before has its own counter, so that others cannot lock the user out (OWASP, device
 * cookies).
 */
export function countedAtSignIn(
  { limits }: Pick<Deps, "limits">,
  { email, addressBlock, browserId }: { email: string; addressBlock: string; browserId: string | undefined },
): Counted[] {
  const account = accountOf(email);
  const ofAccount = (subject: Buffer) => ({ subject, account, most: limits.failuresOfAccount, windowMs: WINDOW_MS });
  if (browserId !== undefined) return [ofAccount(hashOf("browser", accountKey(email), browserId))];
  const address = { subject: hashOf("address", addressBlock), account: null };
  return [ofAccount(account), { ...address, most: limits.failuresOfAddress, windowMs: WINDOW_MS }];
}

/**
 * Returns the counters of a sign-in with a passkey, of an unknown user for one that nobody has. Wrong passwords do not
 * count here, so that whoever guesses them cannot keep out the holder of a passkey.
 */
export function countedPasskeys(
  { limits }: Pick<Deps, "limits">,
  { user, addressBlock, browserId }: { user: Signer | undefined; addressBlock: string; browserId: string | undefined },
): Counted[] {
  const address = { subject: hashOf("address", addressBlock), account: null };
  const ofAddress = { ...address, most: limits.failuresOfAddress, windowMs: WINDOW_MS };
  if (!user) return [ofAddress];
  const who = browserId === undefined ? ["passkeys", user.id] : ["browser passkeys", user.id, browserId];
  const account = accountOf(user.email);
  const ofUser = { subject: hashOf(...who), account, most: limits.failuresOfAccount, windowMs: WINDOW_MS };
  return browserId === undefined ? [ofUser, ofAddress] : [ofUser];
}

type Signer = { id: string; email: string };

/**
 * Returns the counters of a user who gives password or code again within a session. They are separate, so they cannot
 * prevent a sign-in.
 */
export function countedInSession({ limits }: Pick<Deps, "limits">, user: { id: string; email: string }): Counted[] {
  const subject = hashOf("session", user.id);
  return [{ subject, account: accountOf(user.email), most: limits.failuresOfAccount, windowMs: WINDOW_MS }];
}

/** Returns the key of a user's codes for {@link forgetFailures}. A password reset does not forget them. */
export function codesOf(userId: string): Buffer {
  return hashOf("codes", userId);
}

/**
 * Returns the counters of a second-factor code at sign-in, which only those who know the password reach. Unknown
 * browsers share a ten-minute and a daily counter; one in which the user gave this factor before has its own.
 */
export function countedCodes(deps: Pick<Deps, "limits">, userId: string, browserId: string | undefined): Counted[] {
  if (browserId === undefined) return countedTwice(deps, "sign-in codes", userId);
  return countedTwice(deps, "browser codes", userId, browserId).slice(0, 1);
}

/**
 * Runs an attempt with a code within a session, which counts against the user's codes there.
 *
 * @throws MusterError sign_in_throttled
 */
export async function throttledCode<T>(deps: Deps, userId: string, attempt: () => Promise<T>): Promise<T> {
  return await throttled(deps, countedTwice(deps, "session codes", userId), attempt, isWrong);
}

function isWrong(error: unknown): boolean {
  return isMusterError(error, "invalid_credentials");
}

function countedTwice({ limits }: Pick<Deps, "limits">, what: string, userId: string, ...more: string[]): Counted[] {
  const account = codesOf(userId);
  return [
    { subject: hashOf(what, userId, ...more), account, most: limits.failuresOfAccount, windowMs: WINDOW_MS },
    { subject: hashOf(`${what} of a day`, userId), account, most: limits.wrongCodesOfDay, windowMs: DAY_MS },
  ];
}

/** Returns the counters of invitations: to one mailbox by all tenants, and by one tenant to all mailboxes. */
export function countedInvites({ limits }: Pick<Deps, "limits">, email: string, tenantId: string): Counted[] {
  const [toMailbox, ofTenant] = [hashOf("invite", mailboxOf(email)), hashOf("invites of tenant", tenantId)];
  return [
    { subject: toMailbox, account: null, most: limits.invitesToMailbox, windowMs: DAY_MS },
    { subject: ofTenant, account: null, most: limits.invitesOfTenantPerDay, windowMs: DAY_MS },
  ];
}

/** Returns the counter of reset links requested for an account by callers who know its address. */
export function countedResets({ limits }: Pick<Deps, "limits">, email: string): Counted[] {
  const subject = hashOf("reset", accountKey(email));
  return [{ subject, account: null, most: limits.resetMailsOfAccount, windowMs: HOUR }];
}

/** Returns the counter of reset links mailed to a mailbox, for all accounts whose addresses lead to it. */
export function countedResetMail({ limits }: Pick<Deps, "limits">, email: string): Counted {
  const subject = hashOf("reset mail", mailboxOf(email));
  return { subject, account: null, most: limits.resetMailsToMailbox, windowMs: HOUR };
}

/**
 * Runs an attempt that succeeds or throws. It is counted before it runs, so that concurrent attempts count too, and
 * uncounted afterwards unless it failed with `failure`.
 *
 * @throws MusterError sign_in_throttled, which says until when
 */
export async function throttled<T>(
  deps: Deps,
  counted: readonly Counted[],
  attempt: () => Promise<T>,
  isFailure: (error: unknown) => boolean,
): Promise<T> {
  await count(deps, counted);
  // The same order as for counting; in another order, concurrent attempts would deadlock.
  const takeBack = () =>
    inTransaction(deps.database.db, async (tx) => {
      for (const { subject } of counted) await uncountAttempt(tx, subject);
    });
  try {
    const result = await attempt();
    await takeBack();
    return result;
  } catch (error) {
    if (!isFailure(error)) await takeBack();
    throw error;
  }
}

/** Counts an attempt against every subject, or against none. @throws MusterError sign_in_throttled */
export async function count({ database, clock }: Deps, counted: readonly Counted[]): Promise<void> {
  const now = clock.now();
  const refusing = await inTransaction(database.db, async (tx) => {
    for (const each of counted) if (!(await countIn(tx, each, now))) throw new Refused(each.subject);
    return undefined;
  }).catch((error: unknown) => {
    if (error instanceof Refused) return error.subject;
    throw error;
  });
  if (refusing) throw signInThrottled((await throttledUntil(database.db, refusing)) ?? now, now);
}

/**
 * Counts an attempt in a transaction.
 *
 * @returns false when the limit is reached, so that this attempt must not be made
 */
export async function countIn(tx: Tx, { windowMs, ...counted }: Counted, now: Date): Promise<boolean> {
  return await countAttempt(tx, { ...counted, now, until: addMs(now, windowMs) });
}

/** Rolls the transaction back. */
class Refused extends Error {
  readonly subject: Buffer;

  constructor(subject: Buffer) {
    super("throttled");
    this.subject = subject;
  }
}

function hashOf(...parts: string[]): Buffer {
  return createHash("sha256").update(JSON.stringify(parts)).digest();
}
