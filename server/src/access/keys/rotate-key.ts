import type { Tx } from "../../db/database.ts";
import { addMs, HOUR } from "../../lib/clock.ts";
import { records } from "../../lib/limits/records.ts";
import { alreadyExists, invalidRequest, notFound } from "../../lib/request-errors.ts";
import { adminUseCase, type PreparedChange } from "../admin-use-case.ts";
import { type Caller, ownKeyOf } from "../caller.ts";
import type { AccessDeps } from "../deps.ts";
import { lockAnyUser } from "../user-store.ts";
import { findKeyRow, type KeyRow, lockWorkingKey, replaceKey } from "./key-store.ts";
import { insertNewKey } from "./manage-keys.ts";

const MOST_HOURS = records.overlapHoursOfKey.value;
const USUAL_HOURS = 24;

export interface Overlap {
  /** The hours for which the replaced key keeps working: 0 to 168, by default 24. */
  overlapHours?: number | undefined;
}

/** The successor of a key; only this response shows `key`. */
export interface RotatedKey {
  id: string;
  key: string;
  expiresAt: Date | null;
  /** The key that it replaces, and its end. */
  replaces: { id: string; expiresAt: Date };
}

/**
 * Replaces an API key by one with the same name, owner, scopes and length of life.
 *
 * @throws MusterError not_found; invalid_request (hours, a key that has ended); already_exists, with the successor in
 * `detail`; quota_exceeded
 */
export const rotateKey = adminUseCase(
  { role: "admin" },
  "key.rotate",
  async (deps: AccessDeps, caller, id: string, overlap: Overlap) => rotation(deps, caller, id, overlap),
);

/** Does {@link rotateKey} for the key of the request. */
export const rotateOwnKey = adminUseCase(
  { scope: "own-key:rotate" },
  "key.rotate",
  async (deps: AccessDeps, caller, overlap: Overlap) => rotation(deps, caller, ownKeyOf(caller), overlap),
);

function rotation(
  deps: AccessDeps,
  { tenantId }: Caller,
  id: string,
  { overlapHours = USUAL_HOURS }: Overlap,
): PreparedChange<RotatedKey> {
  if (!(Number.isInteger(overlapHours) && overlapHours >= 0 && overlapHours <= MOST_HOURS))
    throw invalidRequest(`overlapHours must be a whole number from 0 to ${MOST_HOURS}`);
  const change = async (tx: Tx) => {
    await deps.quotas.within(tx, tenantId, "apiKeys", 1);
    const now = deps.clock.now();
    const former = await lockRotated(tx, tenantId, id, now);
    const { name, scopes, user_id, created_at, expires_at } = former;
    const expiresAt = expires_at && addMs(now, expires_at.getTime() - created_at.getTime());
    const row = { tenant_id: tenantId, user_id, name, scopes, created_at: now, expires_at: expiresAt, replaces: id };
    const made = await insertNewKey(tx, row, deps.ids);
    const end = await replaceKey(tx, id, addMs(now, overlapHours * HOUR));
    return {
      target: id,
      before: { name, expiresAt: expires_at },
      after: { name, expiresAt: end, replacedBy: made.id },
      written: { resource: "key", id: made.id, result: "created" as const },
      result: { id: made.id, key: made.text, expiresAt, replaces: { id, expiresAt: end } },
    };
  };
  return { change };
}

/** Locks a working key without a successor, after its owner: a deactivation that commits later finds the successor. */
async function lockRotated(tx: Tx, tenantId: string, id: string, now: Date): Promise<KeyRow> {
  const known = id.includes("\0") ? undefined : await findKeyRow(tx, tenantId, id);
  if (!known) throw notFound("API key");
  await lockAnyUser(tx, known.user_id);
  const key = await lockWorkingKey(tx, id, now);
  if (!key) throw invalidRequest("The key has ended. Create a new one.", id);
  if (key.replaced_by !== null) throw alreadyExists("The key has already been replaced.", key.replaced_by);
  return key;
}
