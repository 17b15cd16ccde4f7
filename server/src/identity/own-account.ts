import { findCredentials, lockCredentials, lockUserById, setPasswordHash, verifyPassword } from "../access/access.ts";
import { recordAct } from "../audit/audit.ts";
import type { Tx } from "../db/database.ts";
import { inTransaction } from "../db/transaction.ts";
import { isMusterError } from "../lib/errors.ts";
import { isUuid } from "../lib/ids.ts";
import { invalidRequest, notFound } from "../lib/request-errors.ts";
import { requireCredentialsAllowed } from "./credential-rule.ts";
import type { IdentityDeps } from "./deps.ts";
import { factorRequired, invalidCredentials, wrongPassword } from "./errors.ts";
import { takeCode } from "./factors/take-code.ts";
import { openSession } from "./open-session.ts";
import { hashChosen } from "./password-rules.ts";
import type { NewSession, Session, Visit } from "./session.ts";
import { deleteOtherSessions, deleteSessionOf, listSessionRows, renewSession } from "./session-store.ts";
import type { Failing } from "./sign-in-events/failures.ts";
import { recordSession } from "./sign-in-events/record-session.ts";
import { countedInSession, throttled, throttledCode } from "./throttle/throttle.ts";
import { makeToken, tokenHash } from "./tokens.ts";

/** @throws MusterError invalid_credentials, sign_in_throttled, rate_limited */
async function verifyOwnPassword(
  deps: IdentityDeps,
  { user }: Session,
  { password, address }: { password: string; address: string },
): Promise<string> {
  const attempt = async () => {
    const found = await findCredentials(deps.database.db, user.email);
    if (!found || !(await deps.hashGate.run(() => verifyPassword(password, found.passwordHash)))) throw wrongPassword();
    return found.passwordHash;
  };
  const isFailure = (error: unknown) => isMusterError(error, "invalid_credentials");
  return await deps.failedSignIns.reported(whoIn(user, address), () =>
    throttled(deps, countedInSession(deps, user), attempt, isFailure),
  );
}

/** Names a signed-in user who fails a check. */
function whoIn({ id, email }: Session["user"], address: string): Failing {
  return { email, address, actor: `user:${id}` };
}

/**
 * Changes the user's own password. Every session ends, and a new one begins for the requesting browser; API keys stay.
 * Fails if the password was reset or the session ended meanwhile. With a second factor, this does not count as a
 * step-up.
 *
 * @throws MusterError invalid_credentials, invalid_request, sign_in_throttled, rate_limited
 */
export async function changePassword(
  deps: IdentityDeps,
  session: Session,
  { currentPassword, newPassword, ...visit }: { currentPassword: string; newPassword: string } & Visit,
): Promise<NewSession> {
  const { user, tenant } = session;
  const verifiedHash = await verifyOwnPassword(deps, session, { password: currentPassword, address: visit.address });
  if (newPassword === currentPassword)
    throw invalidRequest("The new password must differ from the present one.", "newPassword");
  const passwordHash = await hashChosen(deps, newPassword, user.email);
  return await inTransaction(deps.database.db, async (tx) => {
    await lockUserById(tx, tenant.id, user.id);
    if ((await lockCredentials(tx, user.id))?.passwordHash !== verifiedHash) throw wrongPassword();
    if (!(await deleteSessionOf(tx, user.id, session.id))) throw invalidCredentials();
    await setPasswordHash(tx, user.id, passwordHash, false);
    const by = { tenantId: tenant.id, actor: `user:${user.id}`, address: visit.address };
    const act = { act: "user.change-password", target: user.id, after: { email: user.email } };
    await recordAct(tx, by, act, { ids: deps.ids, now: deps.clock.now() });
    const { factorId: givenFactorId, verifiedAt } = session;
    const verified = {
      userId: user.id,
      passwordHash,
      givenFactorId,
      ...(givenFactorId === null ? {} : { verifiedAt }),
    };
    return await openSession(deps, tx, verified, visit);
  });
}

export interface StepUp {
  password: string;
  /** A code of the second factor or a recovery code, for users who have a factor. */
  code?: string | undefined;
  address: string;
}

/**
 * Verifies the user again, which admits dangerous operations for the next ten minutes. The session gets a new token.
 * Refused if the tenant requires single sign-on of the user.
 *
 * @throws MusterError factor_required, invalid_credentials, sign_in_throttled, rate_limited, sso_required
 */
export async function stepUp(
  deps: IdentityDeps,
  session: Session,
  { password, code, address }: StepUp,
): Promise<{ token: string }> {
  const hasFactor = session.factor === "given";
  if (hasFactor && code === undefined) throw factorRequired();
  await verifyOwnPassword(deps, session, { password, address });
  const { database, ids, clock } = deps;
  const token = makeToken(ids);
  const renew = async (tx: Tx) => {
    await requireCredentialsAllowed(tx, session.user.id);
    await renewSession(tx, session.id, tokenHash(token), clock.now());
    await recordSession(deps, tx, session, { act: "session.step-up", address });
  };
  if (hasFactor) await withCode(deps, session, { code: code!, address }, renew);
  else await inTransaction(database.db, renew);
  return { token };
}

/**
 * Consumes a code of the user's second factor in the transaction of the work it admits.
 *
 * @throws MusterError invalid_credentials, sign_in_throttled
 */
async function withCode(
  deps: IdentityDeps,
  session: Session,
  given: { code: string; address: string },
  admitted: (tx: Tx) => Promise<void>,
): Promise<void> {
  const attempt = () =>
    inTransaction(deps.database.db, async (tx) => {
      await takeCode(deps, tx, session, given);
      await admitted(tx);
    });
  const { user } = session;
  await deps.failedSignIns.reported(whoIn(user, given.address), () => throttledCode(deps, user.id, attempt));
}

/** A session as its user sees it. */
export interface SessionRecord {
  id: string;
  createdAt: Date;
  lastUsedAt: Date;
  expiresAt: Date;
  address: string;
  userAgent: string;
  current: boolean;
}

/** Lists the user's own sessions, newest first. */
export async function listOwnSessions(
  { database, clock }: IdentityDeps,
  { id, user, factor }: Session,
): Promise<SessionRecord[]> {
  const rows = await listSessionRows(database.db, { userId: user.id, hasFactor: factor === "given", now: clock.now() });
  return rows.map((row) => ({
    id: row.id,
    createdAt: row.created_at,
    lastUsedAt: row.last_used_at,
    expiresAt: row.expires_at,
    address: row.address,
    userAgent: row.user_agent,
    current: row.id === id,
  }));
}

/** Ends one of the user's own sessions. @throws MusterError not_found */
export async function endOwnSession(
  deps: IdentityDeps,
  { user, tenant }: Session,
  { id, address }: { id: string; address: string },
): Promise<void> {
  await inTransaction(deps.database.db, async (tx) => {
    if (!isUuid(id) || !(await deleteSessionOf(tx, user.id, id))) throw notFound("session");
    await recordSession(deps, tx, { id, user, tenant }, { act: "session.end", address });
  });
}

/** Ends the user's other sessions. */
export async function endOtherSessions(deps: IdentityDeps, session: Session, address: string): Promise<void> {
  await inTransaction(deps.database.db, async (tx) => {
    const ended = await deleteOtherSessions(tx, session.user.id, session.id);
    if (ended > 0) await recordSession(deps, tx, session, { act: "session.end-others", address, more: { ended } });
  });
}
