import type { Tx } from "../db/database.ts";
import { inTransaction } from "../db/transaction.ts";
import { invalidRequest, notFound } from "../lib/request-errors.ts";
import { type Caller, ROLES, type Role } from "./caller.ts";
import type { AccessDeps } from "./deps.ts";
import { type RevocationReason, revokeKeysOf } from "./keys/key-store.ts";
import { hashPassword, makePassword } from "./password.ts";
import { useCase } from "./use-case.ts";
import {
  findTenantOfUser,
  insertUser,
  lockUser,
  markDeleted,
  setPasswordHash,
  setStatus,
  type UserRow,
} from "./user-store.ts";

const EMAIL = /^[^\s@\p{Cc}]{1,64}@[^\s@\p{Cc}]{1,189}$/u;

export interface NewUser {
  email: string;
  role: Role;
}

/**
 * Adds a user with a random password, shown only in this answer.
 *
 * @throws MusterError invalid_request (email, role), already_exists (email)
 */
export const createUser = useCase(
  { role: "admin" },
  async (deps: AccessDeps, caller, input: NewUser): Promise<{ id: string; email: string; password: string }> => {
    const email = input.email.trim();
    if (!EMAIL.test(email) || !email.isWellFormed()) throw invalidRequest("This is not an email address.", email);
    if (!ROLES.includes(input.role)) throw invalidRequest(`The role must be one of ${ROLES.join(", ")}.`, input.role);
    const password = makePassword(deps.ids);
    const now = deps.clock.now();
    const id = deps.ids.uuid(now);
    await insertUser(deps.database.db, {
      id,
      tenant_id: caller.tenantId,
      email,
      role: input.role,
      password_hash: await hashPassword(password, deps.ids),
      created_at: now,
      deleted_at: null,
    });
    return { id, email, password };
  },
);

/** Deactivates a user and revokes every key of the user permanently (spec 5 rule 2). Repeats harmlessly. */
export const deactivateUser = useCase({ role: "admin" }, (deps: AccessDeps, caller, email: string) =>
  changeUser(deps, caller, email, "creator_deactivated", (tx, user) => setStatus(tx, user.id, "deactivated")),
);

/** Reactivates a user. The keys stay revoked. */
export const reactivateUser = useCase({ role: "admin" }, (deps: AccessDeps, caller, email: string) =>
  changeUser(deps, caller, email, undefined, (tx, user) => setStatus(tx, user.id, "active")),
);

/** Deletes a user and revokes the user's keys; the address is free again. */
export const deleteUser = useCase({ role: "admin" }, (deps: AccessDeps, caller, email: string) =>
  changeUser(deps, caller, email, "creator_deleted", (tx, user) => markDeleted(tx, user.id, deps.clock.now())),
);

/** Sets a new random password, shown only in this answer, and revokes the user's keys. */
export const resetPassword = useCase(
  { role: "admin" },
  async (deps: AccessDeps, caller, email: string): Promise<{ password: string }> => {
    const password = makePassword(deps.ids);
    const hash = await hashPassword(password, deps.ids);
    await changeUser(deps, caller, email, "creator_password_reset", (tx, user) => setPasswordHash(tx, user.id, hash));
    return { password };
  },
);

/** The slug of a user's tenant, for the shell, which names a user by the email address alone. @throws MusterError not_found */
export async function tenantOfUser(deps: AccessDeps, email: string): Promise<string> {
  const slug = await findTenantOfUser(deps.database.db, email.trim());
  if (slug === undefined) throw notFound("user");
  return slug;
}

/** Changes a user of the caller's tenant and revokes the user's keys, under the lock that creating a key takes too. */
async function changeUser(
  deps: AccessDeps,
  caller: Caller,
  email: string,
  reason: RevocationReason | undefined,
  change: (tx: Tx, user: UserRow) => Promise<void>,
): Promise<void> {
  await inTransaction(deps.database.db, async (tx) => {
    const user = await lockUser(tx, email.trim());
    if (user?.tenant_id !== caller.tenantId) throw notFound("user");
    await change(tx, user);
    if (reason) await revokeKeysOf(tx, user.id, reason, caller.actor, deps.clock.now());
  });
}
