import { lockFactorRule, lockUserById } from "../../access/access.ts";
import { recordAct } from "../../audit/audit.ts";
import type { Tx } from "../../db/database.ts";
import { inTransaction } from "../../db/transaction.ts";
import { addMs, MINUTE } from "../../lib/clock.ts";
import { isUuid } from "../../lib/ids.ts";
import { notFound } from "../../lib/request-errors.ts";
import type { IdentityDeps } from "../deps.ts";
import { factorMandatory, wrongCode } from "../errors.ts";
import type { Session, SignedIn } from "../session.ts";
import { deleteOtherSessions, forgetFactorOfSessions, renewWithFactor } from "../session-store.ts";
import { makeKnownBrowser } from "../throttle/known-browser.ts";
import { throttledCode } from "../throttle/throttle.ts";
import { makeToken, tokenHash } from "../tokens.ts";
import {
  confirmFactorRow,
  countRecoveryCodes,
  deleteFactorRow,
  factorOwner,
  findFactor,
  lockFactor,
  replaceBegunFactor,
  replaceRecoveryCodes,
} from "./factor-store.ts";
import { makeRecoveryCode, recoveryCodeHash } from "./recovery-codes.ts";
import { otpauthUri, SECRET_OCTETS, secretText, stepsOf } from "./totp.ts";

/** The user's second factor, if any. */
export interface OwnFactors {
  items: { id: string; createdAt: Date }[];
  recoveryCodesLeft: number;
  /** Whether the tenant's rule requires a second factor of the user. */
  mandatory: boolean;
}

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

export async function listFactors({ database }: IdentityDeps, session: Session): Promise<OwnFactors> {
  const { user, factorMandatory: mandatory } = session;
  const factor = await findFactor(database.db, user.id);
  if (!factor) return { items: [], recoveryCodesLeft: 0, mandatory };
  const items = [{ id: factor.id, createdAt: factor.confirmedAt }];
  return { items, recoveryCodesLeft: await countRecoveryCodes(database.db, factor.id), mandatory };
}

/**
 * Begins the set-up of a second factor. Nothing changes until the user gives a code of it; then it replaces any other
 * factor.
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
 * Confirms the factor that is being set up, by a code of it. The user's other sessions end, and this one gets a new
 * token.
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
      await record(deps, tx, session, { act: replaced ? "user.replace-factor" : "user.add-factor", address });
      return await newRecoveryCodes(deps, tx, id);
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
 * Removes the user's factor with its recovery codes, or one that is being set up.
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
    // One lock covers the rule and the admin's factor, so that of two concurrent changes one is refused.
    const rule = await lockFactorRule(tx, tenant.id);
    const { role } = await lockOwner(tx, session);
    const deleted = isUuid(id) ? await deleteFactorRow(tx, user.id, id) : undefined;
    if (!deleted) throw notFound("second factor");
    if (!deleted.confirmed) return;
    if (rule && role === "admin") throw factorMandatory();
    await forgetFactorOfSessions(tx, user.id);
    await record(deps, tx, session, { act: "user.remove-factor", address });
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
    const factor = await lockFactor(tx, session.user.id, "confirmed");
    if (!factor) throw notFound("second factor");
    await record(deps, tx, session, { act: "user.renew-recovery-codes", address });
    return { recoveryCodes: await newRecoveryCodes(deps, tx, factor.id) };
  });
}

async function newRecoveryCodes({ ids, limits }: IdentityDeps, tx: Tx, factorId: string): Promise<string[]> {
  const codes = Array.from({ length: limits.recoveryCodes }, () => makeRecoveryCode(ids));
  const hashes = codes.map((code) => recoveryCodeHash(factorId, code));
  await replaceRecoveryCodes(tx, factorId, hashes);
  return codes;
}

/**
 * Locks the user's row, as every change of a user does.
 *
 * @throws MusterError not_found for a user who was deleted since
 */
async function lockOwner(tx: Tx, { user, tenant }: Pick<Session, "user" | "tenant">) {
  const locked = await lockUserById(tx, tenant.id, user.id);
  if (!locked) throw notFound("user");
  return locked;
}

async function record(
  { ids, clock }: IdentityDeps,
  tx: Tx,
  { user, tenant }: Session,
  { act, address }: { act: string; address: string },
): Promise<void> {
  const by = { tenantId: tenant.id, actor: `user:${user.id}`, address };
  await recordAct(tx, by, { act, target: user.id, after: { email: user.email } }, { ids, now: clock.now() });
}
