import { BEGINNING, pruneAlong } from "../db/prune.ts";
import { inTransaction } from "../db/transaction.ts";
import { addMs, MINUTE } from "../lib/clock.ts";
import type { IdentityDeps } from "./deps.ts";
import { deleteUnconfirmed } from "./factors/factor-store.ts";
import { deleteExpiredLinks } from "./links/link-store.ts";
import { deleteUsedAnswers } from "./oidc/identity-store.ts";
import { deleteUsedChallenges } from "./passkeys/passkey-store.ts";
import type { Session } from "./session.ts";
import { deleteExpired, deleteSessionOf, findSession, recordCommanded, recordSessionUse } from "./session-store.ts";
import { recordRepeats } from "./sign-in-events/record-failures.ts";
import { recordSession } from "./sign-in-events/record-session.ts";
import { deleteEnded } from "./throttle/throttle-store.ts";
import { isToken, tokenHash } from "./tokens.ts";

/** The least time between two recorded uses, so that most requests cost no write. */
const RECORD_AFTER_MS = MINUTE;

/**
 * Returns the session of a token; `undefined` if it is unknown, ended or idle for too long. Every request reads the
 * database, so a session ends in every process simultaneously.
 *
 * @param keeps whether the request counts as a use; automatic requests of a page do not
 */
export async function useSession(deps: IdentityDeps, token: string, keeps: boolean): Promise<Session | undefined> {
  if (!isToken(token)) return undefined;
  const { database, clock, limits } = deps;
  const now = clock.now();
  const idleSince = addMs(now, -limits.sessionIdleMinutes * MINUTE);
  const found = await findSession(database.db, { tokenSha256: tokenHash(token), now, idleSince });
  if (!found) return undefined;
  const { lastUsedAt, ...session } = found;
  if (keeps && now.getTime() - lastUsedAt.getTime() >= RECORD_AFTER_MS)
    await recordSessionUse(database.db, session.id, now);
  return session;
}

/** The greatest length of a device id; a longer text names no device. */
const MOST_DEVICE_ID = 128;

/**
 * Returns whether a session without a recent verification may send a command to this device. It may command a few
 * different devices until the next step-up, which limits the damage of a stolen session.
 */
export async function mayCommand(
  { database, limits }: IdentityDeps,
  { id }: Pick<Session, "id">,
  deviceId: string,
): Promise<boolean> {
  const device = deviceId.slice(0, MOST_DEVICE_ID);
  return await recordCommanded(database.db, { id, device, most: limits.devicesCommanded });
}

/** Ends the session of its user. Idempotent. */
export async function signOut(deps: IdentityDeps, session: Session, address: string): Promise<void> {
  await inTransaction(deps.database.db, async (tx) => {
    if (!(await deleteSessionOf(tx, session.user.id, session.id))) return;
    await recordSession(deps, tx, session, { act: "session.end", address });
  });
}

/**
 * Deletes expired sessions and links, unconfirmed factors and ended throttle windows, and records the repeats of failed
 * sign-ins; called every few minutes.
 */
export async function prune(deps: IdentityDeps, stopped?: AbortSignal): Promise<void> {
  const { database, clock, limits } = deps;
  const now = clock.now();
  const clean = async (deleteOld: typeof deleteExpired, before: Date) =>
    await pruneAlong(BEGINNING, (from, limit) => deleteOld(database.db, { from, before, limit }), { stopped });
  for (const deleteOld of [deleteExpired, deleteExpiredLinks, deleteEnded, deleteUsedAnswers, deleteUsedChallenges])
    await clean(deleteOld, now);
  await clean(deleteUnconfirmed, addMs(now, -limits.factorSetUpMinutes * MINUTE));
  await recordRepeats(deps, stopped);
}
