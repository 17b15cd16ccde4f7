import type { Changed } from "../../audit/audit.ts";
import type { Tx } from "../../db/database.ts";
import { isUuid } from "../../lib/ids.ts";
import { invalidRequest, notFound, preconditionFailed } from "../../lib/request-errors.ts";
import { adminUseCase, type PreparedChange } from "../admin-use-case.ts";
import type { Caller, Role } from "../caller.ts";
import type { AccessDeps } from "../deps.ts";
import { lastAdmin } from "../errors.ts";
import { type RevocationReason, revokeKeysOf } from "../keys/key-store.ts";
import {
  countOtherAdmins,
  lockAdmins,
  lockUser,
  lockUserById,
  markDeleted,
  setPlatform,
  setRole,
  setStatus,
  type UserDetails,
  type UserRow,
} from "../user-store.ts";
import { guardOperators, requireMayAdminister } from "./operators.ts";

export interface UserChange {
  role?: Role | undefined;
  status?: "active" | "deactivated" | undefined;
  /** Whether a role change revokes the user's API keys; deactivation always does (spec 5 rule 2). */
  revokeKeys?: boolean | undefined;
}

/** The fields of a user that writes change, which a conditional change compares. */
export interface AdministeredUser {
  id: string;
  email: string;
  /** Null if the user has given none. */
  name: string | null;
  role: Role;
  status: "active" | "deactivated";
  platform: boolean;
  createdAt: Date;
}

/**
 * Changes a user's role or status, and signs the user out of every session.
 *
 * @throws MusterError not_found, insufficient_role (a user who runs the installation), last_admin, last_operator,
 * precondition_failed
 */
export const changeUser = adminUseCase(
  { scope: "users:write", role: "admin" },
  "user.update",
  async (
    deps: AccessDeps,
    caller,
    id: string,
    change: UserChange,
    matches?: (user: object) => boolean,
  ): Promise<PreparedChange<AdministeredUser>> => ({
    change: async (tx) => {
      const locked = await lockChanged(tx, caller, id);
      if (matches && !matches(toUser(locked.user))) throw preconditionFailed();
      return await changeLocked(deps, tx, caller, locked, change);
    },
  }),
);

/** Changes a locked user. @throws MusterError last_admin, last_operator */
export async function changeLocked(
  deps: Pick<AccessDeps, "clock">,
  tx: Tx,
  { actor }: Pick<Caller, "actor">,
  { user, requireOther }: LockedUser,
  change: UserChange,
): Promise<Changed<AdministeredUser>> {
  const { id } = user;
  const role = change.role ?? user.role;
  const status = change.status ?? user.status;
  if (role !== "admin" || status !== "active") await requireOther();
  if (role !== user.role) await setRole(tx, id, role);
  if (status !== user.status) await setStatus(tx, id, status);
  const reason = endsKeys(user, change);
  const revokedKeys = reason ? await revokeKeysOf(tx, id, reason, actor, deps.clock.now()) : [];
  const before = { email: user.email, role: user.role, status: user.status };
  return {
    target: id,
    before,
    after: { ...before, role, status, revokedKeys },
    result: toUser({ ...user, role, status, platform: user.platform && role === "admin" }),
    unchanged: role === user.role && status === user.status && revokedKeys.length === 0,
  };
}

function endsKeys(user: UserRow, change: UserChange): RevocationReason | undefined {
  if (change.status === "deactivated" && user.status === "active") return "creator_deactivated";
  return change.revokeKeys ? "requested" : undefined;
}

/**
 * Deletes a user and revokes the user's keys; the address becomes available again.
 *
 * @throws MusterError not_found, insufficient_role (a user who runs the installation), last_admin, last_operator
 */
export const removeUser = adminUseCase(
  { role: "admin" },
  "user.delete",
  async (deps: AccessDeps, caller, id: string): Promise<PreparedChange<void>> => ({
    change: async (tx) => {
      return await removeLocked(deps, tx, caller, await lockChanged(tx, caller, id));
    },
  }),
);

/** Deletes a locked user. @throws MusterError last_admin, last_operator */
export async function removeLocked(
  deps: Pick<AccessDeps, "clock">,
  tx: Tx,
  { actor }: Pick<Caller, "actor">,
  { user, requireOther }: LockedUser,
): Promise<Changed<void>> {
  await requireOther();
  const now = deps.clock.now();
  await markDeleted(tx, user.id, now);
  const revokedKeys = await revokeKeysOf(tx, user.id, "creator_deleted", actor, now);
  const before = { email: user.email, role: user.role, status: user.status };
  return { target: user.id, before, after: { ...before, status: "deleted", revokedKeys }, result: undefined };
}

/** Sets whether a user runs the installation. For the shell. @throws MusterError not_found, invalid_request */
export const setPlatformUser = adminUseCase(
  {},
  "user.set-platform",
  async (_deps: AccessDeps, caller, email: string, platform: boolean): Promise<PreparedChange<void>> => ({
    change: async (tx) => {
      await guardOperators(tx, caller);
      const user = await lockUser(tx, email);
      if (user?.tenant_id !== caller.tenantId) throw notFound("user");
      if (platform && user.role !== "admin") throw invalidRequest("The user must be a tenant admin.", user.email);
      await setPlatform(tx, user.id, platform);
      const before = { email: user.email, platform: user.platform };
      return { target: user.id, before, after: { email: user.email, platform }, result: undefined };
    },
  }),
);

export function toUser({ id, email, name, role, status, platform, created_at }: UserDetails): AdministeredUser {
  return { id, email, name, role, status, platform, createdAt: created_at };
}

/** A locked user. `requireOther` refuses to remove the last admin or operator. */
export interface LockedUser {
  user: UserDetails;
  requireOther: () => Promise<void>;
}

/** Locks a user of the tenant whom the caller may change. @throws MusterError not_found, insufficient_role */
async function lockChanged(tx: Tx, caller: Caller, id: string): Promise<LockedUser> {
  const locked = await lockAdministered(tx, caller, id);
  requireMayAdminister(caller, locked.user);
  return locked;
}

/**
 * Locks a user of the tenant after its admins and the operators. Before a change of rights the caller needs
 * {@link requireMayAdminister}.
 *
 * @throws MusterError not_found
 */
export async function lockAdministered(tx: Tx, caller: Caller, id: string): Promise<LockedUser> {
  const { tenantId } = caller;
  await lockAdmins(tx, tenantId);
  const operators = await guardOperators(tx, caller);
  const user = isUuid(id) ? await lockUserById(tx, tenantId, id) : undefined;
  if (!user) throw notFound("user");
  const requireOther = async () => {
    if (user.status !== "active") return;
    if (user.role === "admin" && (await countOtherAdmins(tx, tenantId, user.id)) === 0) throw lastAdmin();
    operators.requireAnother(user);
  };
  return { user, requireOther };
}
