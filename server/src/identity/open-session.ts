import { lockCredentials } from "../access/access.ts";
import type { Tx } from "../db/database.ts";
import { addMs, MINUTE } from "../lib/clock.ts";
import { requireCredentialsAllowed } from "./credential-rule.ts";
import type { IdentityDeps } from "./deps.ts";
import { invalidCredentials } from "./errors.ts";
import { listFactorIds } from "./factors/factor-store.ts";
import type { NewSession, ProviderSession, Visit } from "./session.ts";
import { findSession, insertSession } from "./session-store.ts";
import { recordSession } from "./sign-in-events/record-session.ts";
import { makeToken, tokenHash } from "./tokens.ts";

/** The greatest stored length of a browser's `User-Agent`; longer texts are cut. */
const MOST_USER_AGENT = 200;

/** The verified credentials of a user. */
interface Verified {
  userId: string;
  /** The hash of the verified password. */
  passwordHash: string;
  /** The second factor whose code was verified. */
  givenFactorId?: string | null;
  /** The time of the verification; the default is now. */
  verifiedAt?: Date;
}

type Deps = Pick<IdentityDeps, "ids" | "clock" | "limits">;

/**
 * Begins a session of a user whose credentials were verified. The user's row is locked: an earlier deactivation or
 * password change makes this fail, and a later one ends the session. If the user has a second factor that was not
 * given, the session lacks it and ends soon.
 *
 * @throws MusterError invalid_credentials
 */
export async function openSession(deps: Deps, tx: Tx, verified: Verified, visit: Visit): Promise<NewSession> {
  const { passwordHash, givenFactorId = null, ...begun } = verified;
  const locked = await lockCredentials(tx, verified.userId);
  if (locked?.passwordHash !== passwordHash) throw invalidCredentials();
  return await beginSession(deps, tx, { ...begun, givenFactorId }, visit);
}

interface Begun {
  userId: string;
  givenFactorId: string | null;
  verifiedAt?: Date;
  /** Further fields of the audit entry, never a secret. */
  how?: object;
  /**
   * The identity provider that vouches for the user; absent for credentials of Muster. A second factor given after it
   * leaves the time of the verification as it was.
   */
  provider?: ProviderSession | null;
}

/**
 * Begins a session of a user whose row `tx` has locked.
 *
 * @throws MusterError sso_required
 */
export async function beginSession(
  { ids, clock, limits }: Deps,
  tx: Tx,
  { userId, givenFactorId, verifiedAt, how, provider }: Begun,
  { address, userAgent }: Visit,
): Promise<NewSession> {
  if (!provider) await requireCredentialsAllowed(tx, userId);
  const factorIds = await listFactorIds(tx, userId);
  const given = givenFactorId !== null && factorIds.includes(givenFactorId) ? givenFactorId : null;
  const minutes = factorIds.length > 0 && given === null ? limits.factorMinutes : limits.sessionMinutes;
  const now = clock.now();
  const token = makeToken(ids);
  const tokenSha256 = tokenHash(token);
  const row = {
    id: ids.uuid(now),
    user_id: userId,
    token_sha256: tokenSha256,
    created_at: now,
    last_used_at: now,
    expires_at: addMs(now, minutes * MINUTE),
    verified_at: verifiedAt ?? now,
    address,
    user_agent: userAgent.slice(0, MOST_USER_AGENT),
    factor_id: given,
    oidc_issuer: provider?.issuer ?? null,
    oidc_sid: provider?.sid ?? null,
  };
  await insertSession(tx, row, limits.sessionsOfUser);
  const session = await findSession(tx, { tokenSha256, now, idleSince: addMs(now, -MINUTE) });
  const more = { factor: session!.factor, ...how, ...(provider ? { provider: provider.issuer } : {}) };
  await recordSession({ ids, clock }, tx, session!, { act: "session.begin", address, more });
  return { session: session!, token };
}
