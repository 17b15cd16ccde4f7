import { lockCredentials } from "../access/access.ts";
import type { Tx } from "../db/database.ts";
import { addMs, MINUTE } from "../lib/clock.ts";
import type { IdentityDeps } from "./deps.ts";
import { invalidCredentials } from "./errors.ts";
import type { NewSession, Visit } from "./session.ts";
import { findSession, insertSession } from "./session-store.ts";
import { makeToken, tokenHash } from "./tokens.ts";

/** Longer texts of browsers are cut. */
const MOST_USER_AGENT = 200;

/**
 * Begins a session of a user whose credentials were verified. The user's row is locked: a deactivation or another password that
 * commits before makes this fail, one that commits after ends the session.
 *
 * @param passwordHash of the password that was verified
 * @throws MusterError invalid_credentials
 */
export async function openSession(
  deps: Pick<IdentityDeps, "ids" | "clock" | "limits">,
  tx: Tx,
  { userId, passwordHash }: { userId: string; passwordHash: string },
  { address, userAgent }: Visit,
): Promise<NewSession> {
  const { ids, clock, limits } = deps;
  const locked = await lockCredentials(tx, userId);
  if (locked?.passwordHash !== passwordHash) throw invalidCredentials();
  const now = clock.now();
  const token = makeToken(ids);
  const tokenSha256 = tokenHash(token);
  const row = {
    id: ids.uuid(now),
    user_id: userId,
    token_sha256: tokenSha256,
    created_at: now,
    last_used_at: now,
    expires_at: addMs(now, limits.sessionMinutes * MINUTE),
    verified_at: now,
    address,
    user_agent: userAgent.slice(0, MOST_USER_AGENT),
  };
  await insertSession(tx, row, limits.sessionsOfUser);
  const session = await findSession(tx, { tokenSha256, now, idleSince: addMs(now, -MINUTE) });
  return { session: session!, token };
}
