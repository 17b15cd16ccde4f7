import type { Tx } from "../db/database.ts";
import { inTransaction } from "../db/transaction.ts";
import { addMs, DAY } from "../lib/clock.ts";
import { invalidRequest, notFound } from "../lib/request-errors.ts";
import { plainLine } from "../lib/text.ts";
import { makeKey } from "./api-key.ts";
import type { AccessDeps } from "./deps.ts";
import { insertKey, revokeKeyById } from "./key-store.ts";
import { checkScopes } from "./scopes.ts";
import { findTenant } from "./tenant-store.ts";
import { lockUser } from "./user-store.ts";

const MAX_DAYS = 3650;

export interface NewKey {
  /** Slug. */
  tenant: string;
  /** Email address of the tenant admin who answers for the key and with whose account it dies. */
  user: string;
  name: string;
  scopes: readonly string[];
  /** 1 to 3650; absent for a key without an end. */
  expiresInDays?: number | undefined;
}

/**
 * Makes an API key; `key` is shown this once.
 *
 * The creator's row is locked first, so that a key is either refused because its creator has just been deactivated or
 * dies in that deactivation: never made after it and alive.
 *
 * @throws MusterError not_found (tenant), invalid_request (user, scope in `detail`, name, days)
 */
export async function createKey(deps: AccessDeps, input: NewKey): Promise<{ id: string; key: string }> {
  const scopes = checkScopes(input.scopes);
  const name = plainLine("name", input.name);
  const days = input.expiresInDays;
  if (days !== undefined && !(Number.isInteger(days) && days >= 1 && days <= MAX_DAYS))
    throw invalidRequest(`expiresInDays must be a whole number from 1 to ${MAX_DAYS}`);
  const tenant = await findTenant(deps.database.db, input.tenant);
  if (!tenant) throw notFound("tenant");

  return await inTransaction(deps.database.db, async (tx) => {
    const userId = await lockCreator(tx, tenant.id, input.user.trim());
    const now = deps.clock.now();
    for (;;) {
      const { id, secretHash, text } = makeKey(deps.ids);
      const inserted = await insertKey(tx, {
        id,
        tenant_id: tenant.id,
        user_id: userId,
        name,
        secret_hash: Buffer.from(secretHash, "hex"),
        scopes,
        created_at: now,
        expires_at: days === undefined ? null : addMs(now, days * DAY),
      });
      if (inserted) return { id, key: text };
    }
  });
}

/** Revokes a key for good; on a dead key it changes nothing. @throws MusterError not_found */
export async function revokeKey(deps: AccessDeps, id: string): Promise<void> {
  if (!(await revokeKeyById(deps.database.db, id, "system", deps.clock.now()))) throw notFound("API key");
}

async function lockCreator(tx: Tx, tenantId: string, email: string): Promise<string> {
  const user = await lockUser(tx, email);
  if (user?.tenant_id !== tenantId) throw invalidRequest("There is no such user in this tenant.", email);
  if (user.status !== "active") throw invalidRequest("the user is deactivated", email);
  if (user.role !== "admin")
    throw invalidRequest("An API key is made for a tenant admin, and this user is none.", email);
  return user.id;
}
