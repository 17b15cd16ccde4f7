import type { Tx } from "../../db/database.ts";
import { invalidRequest, notFound } from "../../lib/request-errors.ts";
import { adminUseCase, type PreparedChange } from "../admin-use-case.ts";
import { type Caller, ROLES, type Role } from "../caller.ts";
import type { AccessDeps } from "../deps.ts";
import { type RevocationReason, revokeKeysOf } from "../keys/key-store.ts";
import { hashPassword, makePassword } from "../password.ts";
import { findTenantOfUser, lockUser, markDeleted, setPasswordHash, setStatus, type UserRow } from "../user-store.ts";
import { addUser, checkEmail } from "./add-user.ts";
import { guardOperators, type OperatorGuard, requireMayAdminister } from "./operators.ts";

export interface NewUser {
  email: string;
  role: Role;
}

/**
 * Adds a user with a random password, which only this response shows.
 *
 * @throws MusterError invalid_request (email, role), already_exists (email), quota_exceeded
 */
export const createUser = adminUseCase(
  { role: "admin" },
  "user.create",
  async (
    deps: AccessDeps,
    caller,
    input: NewUser,
  ): Promise<PreparedChange<{ id: string; email: string; password: string }>> => {
    const email = checkEmail(input.email);
    if (!ROLES.includes(input.role)) throw invalidRequest(`The role must be one of ${ROLES.join(", ")}.`, input.role);
    const password = makePassword(deps.ids);
    const passwordHash = await hashPassword(password, deps.ids);
    return {
      change: async (tx) => {
        const user = { tenantId: caller.tenantId, email, role: input.role, passwordHash, drawn: true };
        const id = await addUser(deps, tx, user);
        return { target: id, after: { email, role: input.role }, result: { id, email, password } };
      },
    };
  },
);

/** Deactivates a user and revokes all of the user's keys permanently (spec 5 rule 2). Idempotent. */
export const deactivateUser = adminUseCase(
  { role: "admin" },
  "user.deactivate",
  async (deps: AccessDeps, caller, email: string) =>
    prepareChange(deps, caller, email, "creator_deactivated", async (tx, user, operators) => {
      operators.requireAnother(user);
      await setStatus(tx, user.id, "deactivated");
      return { status: "deactivated" };
    }),
);

/** Reactivates a user. The keys stay revoked. */
export const reactivateUser = adminUseCase(
  { role: "admin" },
  "user.reactivate",
  async (deps: AccessDeps, caller, email: string) =>
    prepareChange(deps, caller, email, undefined, async (tx, user) => {
      await setStatus(tx, user.id, "active");
      return { status: "active" };
    }),
);

/** Deletes a user and revokes the user's keys; the address becomes available again. */
export const deleteUser = adminUseCase(
  { role: "admin" },
  "user.delete",
  async (deps: AccessDeps, caller, email: string) =>
    prepareChange(deps, caller, email, "creator_deleted", async (tx, user, operators) => {
      operators.requireAnother(user);
      await markDeleted(tx, user.id, deps.clock.now());
      return { status: "deleted" };
    }),
);

/** Sets a new random password, which only this response shows, and revokes the user's keys. */
export const replacePassword = adminUseCase(
  { role: "admin" },
  "user.reset-password",
  async (deps: AccessDeps, caller, email: string): Promise<PreparedChange<{ password: string }>> => {
    const password = makePassword(deps.ids);
    const hash = await hashPassword(password, deps.ids);
    const { change } = prepareChange(deps, caller, email, "creator_password_reset", async (tx, user) => {
      await setPasswordHash(tx, user.id, hash, true);
      return { status: user.status };
    });
    return { change: async (tx) => ({ ...(await change(tx)), result: { password } }) };
  },
);

/**
 * Returns the tenant's slug for a user whom the shell identifies by e-mail address alone.
 *
 * @throws MusterError not_found
 */
export async function tenantOfUser(deps: AccessDeps, email: string): Promise<string> {
  const slug = await findTenantOfUser(deps.database.db, email.trim());
  if (slug === undefined) throw notFound("user");
  return slug;
}

/**
 * Changes a user of the caller's tenant, under the lock that key creation takes too.
 *
 * @param reason revokes the user's keys for this reason; without one they stay as they are
 * @param change returns the changed fields, for the audit
 */
function prepareChange(
  deps: AccessDeps,
  caller: Caller,
  email: string,
  reason: RevocationReason | undefined,
  change: (tx: Tx, user: UserRow, operators: OperatorGuard) => Promise<{ status: string }>,
): PreparedChange<void> {
  return {
    change: async (tx) => {
      const operators = await guardOperators(tx, caller);
      const user = await lockUser(tx, email);
      if (user?.tenant_id !== caller.tenantId) throw notFound("user");
      requireMayAdminister(caller, user);
      const { role, status } = user;
      const before = { email: user.email, role, status };
      const changed = await change(tx, user, operators);
      const revokedKeys = reason ? await revokeKeysOf(tx, user.id, reason, caller.actor, deps.clock.now()) : [];
      return { target: user.id, before, after: { ...before, ...changed, revokedKeys }, result: undefined };
    },
  };
}
