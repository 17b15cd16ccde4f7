import { BEGINNING, pruneAlong } from "../db/prune.ts";
import { addMs, MINUTE } from "../lib/clock.ts";
import type { IdentityDeps } from "./deps.ts";
import { deleteUnconfirmed } from "./factors/factor-store.ts";
import { deleteExpiredLinks } from "./links/link-store.ts";
import type { Session } from "./session.ts";
import { deleteExpired, deleteSession, findSession, recordCommanded, recordSessionUse } from "./session-store.ts";
import { deleteEnded } from "./throttle/throttle-store.ts";
import { isToken, tokenHash } from "./tokens.ts";

/** A use is written at most once a minute, so that reading costs no write. */
const RECORD_AFTER_MS = MINUTE;

/**
 * The session of a token; `undefined` when it is unknown, has ended or was not used for long. Every request asks the database, so
 * that a session that ends, ends in every process.
 *
 * @param keeps whether the request counts as a use: what a page does by itself does not
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

/** No device id is longer: what is longer names none. */
const MOST_DEVICE_ID = 128;

/**
 * Whether a session whose user was not verified lately may send a command to this device: to a few different ones until the next step-up,
 * so that a stolen session does not reach all.
 */
export async function mayCommand(
  { database, limits }: IdentityDeps,
  { id }: Pick<Session, "id">,
  deviceId: string,
): Promise<boolean> {
  const device = deviceId.slice(0, MOST_DEVICE_ID);
  return await recordCommanded(database.db, { id, device, most: limits.devicesCommanded });
}

/** Ends a session; one that has ended already stays so. */
export async function signOut(deps: IdentityDeps, sessionId: string): Promise<void> {
  await deleteSession(deps.database.db, sessionId);
}

/** Deletes expired sessions, links and factors that were not set up to the end, and what is counted no longer; called every few minutes. */
export async function prune({ database, clock, limits }: IdentityDeps, stopped?: AbortSignal): Promise<void> {
  const now = clock.now();
  const clean = async (deleteOld: typeof deleteExpired, before: Date) =>
    await pruneAlong(BEGINNING, (from, limit) => deleteOld(database.db, { from, before, limit }), { stopped });
  for (const deleteOld of [deleteExpired, deleteExpiredLinks, deleteEnded]) await clean(deleteOld, now);
  await clean(deleteUnconfirmed, addMs(now, -limits.factorSetUpMinutes * MINUTE));
}
