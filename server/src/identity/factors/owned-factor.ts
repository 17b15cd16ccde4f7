import { lockUserById } from "../../access/access.ts";
import { recordAct } from "../../audit/audit.ts";
import type { Tx } from "../../db/database.ts";
import { notFound } from "../../lib/request-errors.ts";
import { isNamedAdmin } from "../credential-rule.ts";
import { lockRule } from "../credential-rule-store.ts";
import type { IdentityDeps } from "../deps.ts";
import { factorMandatory } from "../errors.ts";
import type { Session } from "../session.ts";
import { forgetFactorOfSessions, replaceFactorOfSessions } from "../session-store.ts";
import { deleteRecoveryCodes, listFactorIds, replaceRecoveryCodes } from "./factor-store.ts";
import { makeRecoveryCode, recoveryCodeHash } from "./recovery-codes.ts";

type Owner = Pick<Session, "id" | "user" | "tenant">;

/**
 * Locks the user's row, as every change of a user does.
 *
 * @throws MusterError not_found for a user who was deleted since
 */
export async function lockOwner(tx: Tx, { user, tenant }: Pick<Session, "user" | "tenant">) {
  const locked = await lockUserById(tx, tenant.id, user.id);
  if (!locked) throw notFound("user");
  return locked;
}

/** Replaces the user's recovery codes. @returns the new ones */
export async function newRecoveryCodes({ ids, limits }: IdentityDeps, tx: Tx, userId: string): Promise<string[]> {
  const codes = Array.from({ length: limits.recoveryCodes }, () => makeRecoveryCode(ids));
  const hashes = codes.map((code) => recoveryCodeHash(userId, code));
  await replaceRecoveryCodes(tx, userId, hashes);
  return codes;
}

/**
 * Adapts sessions and recovery codes to a factor that was removed. The user's row is locked.
 *
 * @throws MusterError factor_mandatory when it was the last one, and the user must have one
 */
export async function leaveFactor(
  tx: Tx,
  { id: sessionId, user }: Owner,
  { id, isMandatory }: { id: string; isMandatory: boolean },
): Promise<void> {
  const [to] = await listFactorIds(tx, user.id);
  if (to !== undefined) return await replaceFactorOfSessions(tx, { userId: user.id, sessionId, from: id, to });
  if (isMandatory || (await isExempt(tx, user.id))) throw factorMandatory();
  await deleteRecoveryCodes(tx, user.id);
  await forgetFactorOfSessions(tx, user.id);
}

/** Returns whether the user may sign in without the identity provider only because of a second factor. */
async function isExempt(tx: Tx, userId: string): Promise<boolean> {
  const found = await lockRule(tx, userId);
  return found !== undefined && isNamedAdmin(found);
}

/** A change of a user's own factors, as the administrative audit names it. */
export type FactorAct =
  | "user.add-factor"
  | "user.replace-factor"
  | "user.remove-factor"
  | "user.renew-recovery-codes"
  | "user.add-passkey"
  | "user.rename-passkey"
  | "user.remove-passkey";

/** Records a change of the user's own factors. */
export async function recordFactorAct(
  { ids, clock }: Pick<IdentityDeps, "ids" | "clock">,
  tx: Tx,
  { user, tenant }: Pick<Session, "user" | "tenant">,
  { act, address, before, after }: { act: FactorAct; address: string; before?: object; after?: object },
): Promise<void> {
  const by = { tenantId: tenant.id, actor: `user:${user.id}`, address };
  const { email } = user;
  const states = { ...(before && { before: { email, ...before } }), after: { email, ...after } };
  await recordAct(tx, by, { act, target: user.id, ...states }, { ids, now: clock.now() });
}
