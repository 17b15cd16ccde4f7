import type { Tx } from "../../db/database.ts";
import { addMs, DAY } from "../../lib/clock.ts";
import type { Ids } from "../../lib/ids.ts";
import { invalidRequest, notFound } from "../../lib/request-errors.ts";
import { plainLine } from "../../lib/text.ts";
import { adminUseCase, type PreparedChange } from "../admin-use-case.ts";
import type { Caller } from "../caller.ts";
import type { AccessDeps } from "../deps.ts";
import { lockAccount } from "../service-account-store.ts";
import { lockUser, lockUserById, type UserRow } from "../user-store.ts";
import { makeKey } from "./api-key.ts";
import { findTenantOfKey, insertKey, type NewKeyRow, revokeKeyById } from "./key-store.ts";
import { checkScopes } from "./scopes.ts";

const MAX_DAYS = 3650;

export interface NewKey {
  /**
   * The e-mail address of the tenant admin who owns the key; the key ends with this account. The default is the calling
   * user.
   */
  user?: string | undefined;
  /** The id or name of the service account that owns the key, in place of a user. */
  serviceAccount?: string | undefined;
  name: string;
  scopes: readonly string[];
  /** 1 to 3650; without it the key does not expire. */
  expiresInDays?: number | undefined;
}

/**
 * Creates an API key; only this response shows `key`.
 *
 * The owner's row is locked first: a deactivation that commits earlier makes this fail, and one that commits later
 * revokes the key.
 *
 * @throws MusterError invalid_request (owner, scope in `detail`, name, days), quota_exceeded
 */
export const createKey = adminUseCase(
  { role: "admin" },
  "key.create",
  async (deps: AccessDeps, caller, input: NewKey): Promise<PreparedChange<{ id: string; key: string }>> => {
    const scopes = checkScopes(input.scopes);
    const name = plainLine("name", input.name);
    const days = input.expiresInDays;
    if (days !== undefined && !(Number.isInteger(days) && days >= 1 && days <= MAX_DAYS))
      throw invalidRequest(`expiresInDays must be a whole number from 1 to ${MAX_DAYS}`);
    const change = async (tx: Tx) => {
      await deps.quotas.within(tx, caller.tenantId, "apiKeys", 1);
      const now = deps.clock.now();
      const { id: userId, ...owner } = await lockOwner(tx, caller, input, now);
      const expiresAt = days === undefined ? null : addMs(now, days * DAY);
      const row = { tenant_id: caller.tenantId, user_id: userId, name, scopes, created_at: now, expires_at: expiresAt };
      const { id, text } = await insertNewKey(tx, row, deps.ids);
      return { target: id, after: { name, ...owner, scopes, expiresAt }, result: { id, key: text } };
    };
    return { change };
  },
);

/** Generates keys until one has an unused id. */
export async function insertNewKey(tx: Tx, row: NewKeyRow, ids: Ids): Promise<{ id: string; text: string }> {
  for (;;) {
    const { id, secretHash, text } = makeKey(ids);
    if (await insertKey(tx, { ...row, id, secret_hash: Buffer.from(secretHash, "hex") })) return { id, text };
  }
}

/** Revokes a key permanently; an ended key keeps its first reason. @throws MusterError not_found */
export const revokeKey = adminUseCase(
  { role: "admin" },
  "key.revoke",
  async (deps: AccessDeps, caller, id: string): Promise<PreparedChange<void>> => ({
    change: async (tx) => {
      const known = await revokeKeyById(tx, caller.tenantId, id, caller.actor, deps.clock.now());
      if (!known) throw notFound("API key");
      const { revoked, ...key } = known;
      return {
        target: id,
        before: { ...key, revoked: false },
        after: { ...key, revoked },
        result: undefined,
        unchanged: !revoked,
      };
    },
  }),
);

/** Returns the tenant's slug for a key that the shell identifies by its id alone. @throws MusterError not_found */
export async function tenantOfKey(deps: AccessDeps, id: string): Promise<string> {
  const slug = await findTenantOfKey(deps.database.db, id);
  if (slug === undefined) throw notFound("API key");
  return slug;
}

type Owner = { id: string } & ({ user: string } | { serviceAccount: string });

async function lockOwner(tx: Tx, caller: Caller, { user, serviceAccount }: NewKey, now: Date): Promise<Owner> {
  if (serviceAccount === undefined) {
    const { id, email } = await lockAdmin(tx, caller, user?.trim());
    return { id, user: email };
  }
  const account = await lockAccount(tx, caller.tenantId, serviceAccount);
  if (!account) throw invalidRequest("There is no such service account in this tenant.", serviceAccount);
  if (account.status !== "active" || account.ends_at <= now)
    throw invalidRequest("The service account has ended.", serviceAccount);
  return { id: account.id, serviceAccount: account.name };
}

async function lockAdmin(tx: Tx, { tenantId, rights }: Caller, email: string | undefined): Promise<UserRow> {
  if (email === undefined && rights.kind !== "user") throw invalidRequest("name the user who owns the key", "user");
  const user =
    rights.kind === "user" && email === undefined
      ? await lockUserById(tx, tenantId, rights.userId)
      : await lockUser(tx, email!);
  if (user?.tenant_id !== tenantId) throw invalidRequest("There is no such user in this tenant.", email);
  if (user.status !== "active") throw invalidRequest("The user is deactivated.", email);
  if (user.role !== "admin") throw invalidRequest("The owner of an API key must be a tenant admin.", email);
  return user;
}
