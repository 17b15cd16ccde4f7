import type { Tx } from "../db/database.ts";
import { inTransaction } from "../db/transaction.ts";
import { invalidRequest, notFound } from "../lib/request-errors.ts";
import { ROLES, type Role } from "./caller.ts";
import type { AccessDeps } from "./deps.ts";
import { type DeathReason, killKeysOf } from "./key-store.ts";
import { hashPassword, makePassword } from "./password.ts";
import { findTenant } from "./tenant-store.ts";
import { insertUser, lockUser, markDeleted, setPasswordHash, setStatus, type UserRow } from "./user-store.ts";

const EMAIL = /^[^\s@\p{Cc}]{1,64}@[^\s@\p{Cc}]{1,189}$/u;

export interface NewUser {
  /** Slug. */
  tenant: string;
  email: string;
  role: Role;
}

/**
 * Adds a user with a random password, which only this answer holds.
 *
 * @throws MusterError not_found (tenant), invalid_request (email, role), already_exists (email)
 */
export async function createUser(
  deps: AccessDeps,
  input: NewUser,
): Promise<{ id: string; email: string; password: string }> {
  const email = input.email.trim();
  if (!EMAIL.test(email) || !email.isWellFormed()) throw invalidRequest("this is not an email address", email);
  if (!ROLES.includes(input.role)) throw invalidRequest(`the role must be one of ${ROLES.join(", ")}`, input.role);
  const tenant = await findTenant(deps.database.db, input.tenant);
  if (!tenant) throw notFound("tenant");
  const password = makePassword(deps.ids);
  const now = deps.clock.now();
  const id = deps.ids.uuid(now);
  await insertUser(deps.database.db, {
    id,
    tenant_id: tenant.id,
    email,
    role: input.role,
    password_hash: await hashPassword(password, deps.ids),
    created_at: now,
    deleted_at: null,
  });
  return { id, email, password };
}

/** Shuts a user out; every key the user made dies with it, for good (spec 5 rule 2). Repeats harmlessly. */
export function deactivateUser(deps: AccessDeps, email: string): Promise<void> {
  return changeUser(deps, email, "creator_deactivated", (tx, user) => setStatus(tx, user.id, "deactivated"));
}

/** Lets a deactivated user in again. The keys stay dead. */
export function reactivateUser(deps: AccessDeps, email: string): Promise<void> {
  return changeUser(deps, email, undefined, (tx, user) => setStatus(tx, user.id, "active"));
}

/** Deletes a user and kills the keys; the address is free again. */
export function deleteUser(deps: AccessDeps, email: string): Promise<void> {
  return changeUser(deps, email, "creator_deleted", (tx, user) => markDeleted(tx, user.id, deps.clock.now()));
}

/** Gives the user a new random password, shown once, and kills the keys. */
export async function resetPassword(deps: AccessDeps, email: string): Promise<{ password: string }> {
  const password = makePassword(deps.ids);
  const hash = await hashPassword(password, deps.ids);
  await changeUser(deps, email, "creator_password_reset", (tx, user) => setPasswordHash(tx, user.id, hash));
  return { password };
}

/** One change of a user with the death of the keys it entails, under the lock that making a key takes too. */
async function changeUser(
  deps: AccessDeps,
  email: string,
  death: DeathReason | undefined,
  change: (tx: Tx, user: UserRow) => Promise<void>,
): Promise<void> {
  await inTransaction(deps.database.db, async (tx) => {
    const user = await lockUser(tx, email.trim());
    if (!user) throw notFound("user");
    await change(tx, user);
    if (death) await killKeysOf(tx, user.id, death, "system", deps.clock.now());
  });
}
