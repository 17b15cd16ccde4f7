import {
  adminUseCase,
  findCredentials,
  hasPassword,
  lockUserById,
  type PreparedChange,
  requireMayAdminister,
  revokeKeysOf,
  setPasswordHash,
} from "../../access/access.ts";
import { recordAct } from "../../audit/audit.ts";
import { inTransaction } from "../../db/transaction.ts";
import { isMusterError } from "../../lib/errors.ts";
import { isUuid } from "../../lib/ids.ts";
import { notFound } from "../../lib/request-errors.ts";
import { requireCredentialsAllowed } from "../credential-rule.ts";
import type { IdentityDeps } from "../deps.ts";
import { linkExpired } from "../errors.ts";
import { hashChosen } from "../password-rules.ts";
import type { Visit } from "../session.ts";
import { accountOf, count, countedResetMail, countedResets, countIn } from "../throttle/throttle.ts";
import { forgetFailures } from "../throttle/throttle-store.ts";
import { findUser } from "../user-account-store.ts";
import { makeLink, openLink, useLink } from "./links.ts";
import { resetMail, sendSoon } from "./mails.ts";

/** A link to choose a new password, which only this response shows. */
export interface NewReset {
  url: string;
  expiresAt: Date;
  /** Whether the link was mailed; also false when the mailbox has reached its hourly limit of links. */
  mailed: boolean;
}

/**
 * Makes a link with which a user chooses a new password. Until it is used, the user's password, sessions and keys stay.
 *
 * @throws MusterError not_found, insufficient_role, sso_required
 */
export const createResetLink = adminUseCase(
  { role: "admin" },
  "user.reset-link",
  async (deps: IdentityDeps, caller, id: string): Promise<PreparedChange<NewReset>> => {
    let mail: Parameters<typeof sendSoon>[1] | undefined;
    return {
      change: async (tx) => {
        const user = isUuid(id) ? await lockUserById(tx, caller.tenantId, id) : undefined;
        if (!user) throw notFound("user");
        requireMayAdminister(caller, user);
        await requireCredentialsAllowed(tx, id);
        const link = await makeLink(deps, tx, { purpose: "reset", userId: id, createdBy: caller.actor });
        const counted = countedResetMail(deps, user.email);
        const mailed = deps.mail.configured && (await countIn(tx, counted, deps.clock.now()));
        if (mailed) mail = resetMail(user.email, link);
        const result = { url: link.url, expiresAt: link.expiresAt, mailed };
        return { target: id, after: { email: user.email, expiresAt: link.expiresAt }, result };
      },
      committed: async () => {
        if (mail) sendSoon(deps, mail);
      },
    };
  },
);

/**
 * Mails a link to choose a new password to the stored address of the matching user. It never uses the typed spelling:
 * one that matches the user in the database (`İ` for `i`) can be the address of another person. The response is the
 * same whether or not there is such a user, and does not wait for the mail.
 */
export async function forgotPassword(deps: IdentityDeps, email: string): Promise<void> {
  if (!deps.mail.configured) return;
  const found = await findCredentials(deps.database.db, email);
  try {
    await count(deps, countedResets(deps, found?.email ?? email));
  } catch (error) {
    if (isMusterError(error, "sign_in_throttled")) return;
    throw error;
  }
  // Only an admin readmits a user whose password was ended: a restored database may no longer show who was deleted or
  // deactivated.
  if (!found || !hasPassword(found)) return;
  mailReset(deps, found).catch((error: Error) => {
    deps.logger.warn({ err: error.message }, "could not make a link to reset a password");
  });
}

async function mailReset(deps: IdentityDeps, { userId, email }: { userId: string; email: string }): Promise<void> {
  const link = await inTransaction(deps.database.db, async (tx) => {
    // Only sent mails count: requests for addresses without an account must not use up a mailbox's links.
    await requireCredentialsAllowed(tx, userId);
    if (!(await countIn(tx, countedResetMail(deps, email), deps.clock.now()))) return undefined;
    return await makeLink(deps, tx, { purpose: "reset", userId, createdBy: `user:${userId}` });
  });
  if (link) sendSoon(deps, resetMail(email, link));
}

/**
 * Sets the password that the holder of the link chose. The user's sessions end, the keys are revoked (spec 5 rule 2),
 * and failed sign-ins are forgotten.
 *
 * @throws MusterError link_expired, invalid_request, rate_limited, sso_required
 */
export async function completeReset(
  deps: IdentityDeps,
  { token, password, address }: { token: string; password: string } & Visit,
): Promise<void> {
  const { ids, clock, database } = deps;
  const { user_id: userId } = await openLink(deps, "reset", token);
  const user = await findUser(database.db, userId!);
  if (!user) throw linkExpired("reset");
  const passwordHash = await hashChosen(deps, password, user.email);
  await inTransaction(database.db, async (tx) => {
    await useLink(deps, tx, "reset", token);
    const now = clock.now();
    if (!(await lockUserById(tx, user.tenantId, user.id))) throw linkExpired("reset");
    await requireCredentialsAllowed(tx, user.id);
    await setPasswordHash(tx, user.id, passwordHash, false);
    const actor = `user:${user.id}`;
    const revokedKeys = await revokeKeysOf(tx, user.id, "creator_password_reset", actor, now);
    await forgetFailures(tx, accountOf(user.email));
    const act = { act: "user.reset-password", target: user.id, after: { email: user.email, revokedKeys } };
    await recordAct(tx, { tenantId: user.tenantId, actor, address }, act, { ids, now });
  });
}
