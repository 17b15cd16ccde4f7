import { parseKey, sameHash } from "./api-key.ts";
import type { Caller } from "./caller.ts";
import type { AccessDeps } from "./deps.ts";
import { invalidApiKey } from "./errors.ts";
import { findLiveKey } from "./key-store.ts";
import type { LastUsed } from "./last-used.ts";
import { expandScopes } from "./scopes.ts";

/**
 * Judges the `X-API-Key` of a request with one query; none when it cannot be a key of ours (spec 5).
 *
 * @param presented the header's value; `undefined` when it is missing
 * @throws MusterError invalid_api_key, the same whatever is wrong
 */
export async function authenticateKey(
  deps: AccessDeps,
  lastUsed: LastUsed,
  presented: string | undefined,
  address: string,
): Promise<Caller> {
  const parsed = presented === undefined ? undefined : parseKey(presented);
  if (!parsed) throw invalidApiKey();
  const stored = await findLiveKey(deps.database.db, parsed.id);
  if (!stored || !sameHash(stored.secret_hash, parsed.secretHash)) throw invalidApiKey();
  const now = deps.clock.now();
  if (stored.expires_at && stored.expires_at <= now) throw invalidApiKey();

  lastUsed.note(parsed.id, stored.last_used_at, now, address);
  return {
    tenantId: stored.tenant_id,
    tenantSlug: stored.slug,
    actor: `apikey:${parsed.id}`,
    rights: { kind: "key", keyId: parsed.id, scopes: expandScopes(stored.scopes) },
    address,
  };
}
