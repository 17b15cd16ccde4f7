import { lockFactorRule } from "../../access/access.ts";
import type { Tx } from "../../db/database.ts";
import { inTransaction } from "../../db/transaction.ts";
import { addMs, MINUTE } from "../../lib/clock.ts";
import { isUuid } from "../../lib/ids.ts";
import { notFound } from "../../lib/request-errors.ts";
import type { IdentityDeps } from "../deps.ts";
import { wrongCode } from "../errors.ts";
import type { Session, SignedIn } from "../session.ts";
import { deleteOtherSessions, renewWithFactor } from "../session-store.ts";
import { makeKnownBrowser } from "../throttle/known-browser.ts";
import { throttledCode } from "../throttle/throttle.ts";
import { makeToken, tokenHash } from "../tokens.ts";
import {
  confirmFactorRow,
  deleteFactorRow,
  factorOwner,
  listFactorIds,
  lockFactor,
  replaceBegunFactor,
} from "./factor-store.ts";
import { type FactorAct, leaveFactor, lockOwner, newRecoveryCodes, recordFactorAct } from "./owned-factor.ts";
import { otpauthUri, SECRET_OCTETS, secretText, stepsOf } from "./totp.ts";

/** A factor whose set-up has begun; only this response shows its secret. */
export interface BegunFactor {
  id: string;
  secret: string;
  uri: string;
  expiresAt: Date;
}

/** The recovery codes of a factor, which only this response shows. */
export interface RecoveryCodes {
  recoveryCodes: string[];
}

/**
 * Begins the set-up of an authenticator app. Nothing changes until the user gives a code of it; then it replaces any
 * other app.
 */
export async function startFactor(deps: IdentityDeps, { user, tenant }: Session): Promise<BegunFactor> {
  const { database, secrets, ids, clock, limits, baseUrl } = deps;
  const now = clock.now();
  const [id, secret] = [ids.uuid(now), ids.bytes(SECRET_OCTETS)];
  await inTransaction(database.db, async (tx) => {
    const sealed = await secrets.seal(tx, secret, factorOwner(user.id, id));
    await lockOwner(tx, { user, tenant });
    await replaceBegunFactor(tx, { id, user_id: user.id, secret: sealed, created_at: now });
  });
  const issuer = `Muster at ${new URL(baseUrl()).hostname.replaceAll(":", ".")}`;
  const expiresAt = addMs(now, limits.factorSetUpMinutes * MINUTE);
  return { id, secret: secretText(secret), uri: otpauthUri({ secret, email: user.email, issuer }), expiresAt };
}

/**
 * Confirms the app that is being set up, by a code of it. The user's other sessions end, and this one gets a new token;
 * new recovery codes replace the former ones.
 *
 * @throws MusterError not_found, invalid_credentials, sign_in_throttled
 */
export async function confirmFactor(
  deps: IdentityDeps,
  session: Session,
  { id, code, address }: { id: string; code: string; address: string },
): Promise<RecoveryCodes & Omit<SignedIn, "session">> {
  const { database, ids, knownBrowserKeys } = deps;
  const userId = session.user.id;
  const token = makeToken(ids);
  const attempt = () =>
    inTransaction(database.db, async (tx) => {
      await lockOwner(tx, session);
      const { replaced } = await confirmIn(deps, tx, userId, { id, code });
      await deleteOtherSessions(tx, userId, session.id);
      if (!(await renewWithFactor(tx, session.id, tokenHash(token), id))) throw notFound("session");
      const act: FactorAct = replaced ? "user.replace-factor" : "user.add-factor";
      await recordFactorAct(deps, tx, session, { act, address });
      return await newRecoveryCodes(deps, tx, userId);
    });
  const who = { email: session.user.email, address, actor: `user:${userId}` };
  const recoveryCodes = await deps.failedSignIns.reported(who, () => throttledCode(deps, userId, attempt));
  return { recoveryCodes, token, browser: makeKnownBrowser(knownBrowserKeys()[0]!, { userId, factorId: id }, ids) };
}

async function confirmIn(
  { clock, limits, secrets }: IdentityDeps,
  tx: Tx,
  userId: string,
  { id, code }: { id: string; code: string },
): Promise<{ replaced: boolean }> {
  const now = clock.now();
  const begunSince = addMs(now, -limits.factorSetUpMinutes * MINUTE);
  const factor = isUuid(id) ? await lockFactor(tx, userId, { id, begunSince }) : undefined;
  if (!factor) throw notFound("second factor that is being set up");
  const [step] = stepsOf(await secrets.open(tx, factor.secret, factorOwner(userId, factor.id)), code, now);
  if (step === undefined) throw wrongCode();
  return { replaced: await confirmFactorRow(tx, { id, userId, step, now }) };
}

/**
 * Removes the user's authenticator app, or one that is being set up. The recovery codes go with the last factor.
 *
 * @throws MusterError not_found, factor_mandatory
 */
export async function removeFactor(
  deps: IdentityDeps,
  session: Session,
  { id, address }: { id: string; address: string },
): Promise<void> {
  const { user, tenant } = session;
  await inTransaction(deps.database.db, async (tx) => {
    // One lock covers the rule and the admin's factor, so one of two concurrent changes is refused.
    const rule = await lockFactorRule(tx, tenant.id);
    const { role } = await lockOwner(tx, session);
    const deleted = isUuid(id) ? await deleteFactorRow(tx, user.id, id) : undefined;
    if (!deleted) throw notFound("second factor");
    if (!deleted.confirmed) return;
    await leaveFactor(tx, session, { id, isMandatory: rule && role === "admin" });
    await recordFactorAct(deps, tx, session, { act: "user.remove-factor", address });
  });
}

/** Replaces the recovery codes, which invalidates the former ones. @throws MusterError not_found */
export async function renewRecoveryCodes(
  deps: IdentityDeps,
  session: Session,
  address: string,
): Promise<RecoveryCodes> {
  return await inTransaction(deps.database.db, async (tx) => {
    await lockOwner(tx, session);
    const factorIds = await listFactorIds(tx, session.user.id);
    if (factorIds.length === 0) throw notFound("second factor");
    await recordFactorAct(deps, tx, session, { act: "user.renew-recovery-codes", address });
    return { recoveryCodes: await newRecoveryCodes(deps, tx, session.user.id) };
  });
}
