import type { Caller } from "../caller.ts";
import { addressNotAllowed, invalidApiKey } from "../errors.ts";
import { parseKey } from "../keys/api-key.ts";
import type { KeyAddresses } from "../keys/key-addresses.ts";
import type { LastUsed } from "../keys/last-used.ts";
import { scopesIn } from "../keys/scopes.ts";
import type { Admissions, Authorization } from "./admissions.ts";
import { REQUESTS_PER_MINUTE, WINDOW_MS } from "./rate-limit-store.ts";

/** The caller, whether the request is admitted, and the values of the rate-limit headers. */
export interface Admission {
  caller: Caller;
  admitted: boolean;
  limit: number;
  windowSeconds: number;
  /** The requests left in the window that ends now. */
  remaining: number;
  /** Milliseconds until the oldest counted request leaves the window. */
  resetMs: number;
  /** Whole seconds until the oldest counted request leaves the window and one more is admitted. */
  resetSeconds: number;
}

/**
 * Authenticates the `X-API-Key` of a request and counts the request against the key's limit; a refused request does not
 * count. A malformed key is refused without a database query (spec 5, 8).
 *
 * @param presented the header's value; `undefined` when it is missing
 * @throws MusterError invalid_api_key, the same for every reason; address_not_allowed
 */
export async function admitRequest(
  admissions: Admissions,
  { lastUsed, addresses }: { lastUsed: LastUsed; addresses: KeyAddresses },
  presented: string | undefined,
  address: string,
): Promise<Admission> {
  const parsed = presented === undefined ? undefined : parseKey(presented);
  const authorization = parsed && (await admissions.authorize({ ...parsed, address }));
  if (!parsed || !authorization) throw invalidApiKey();
  const { key, now, allowed } = authorization;
  const use = { keyId: parsed.id, tenantId: key.tenant_id, address, now };
  if (!allowed) {
    addresses.record({ ...use, refused: true });
    throw addressNotAllowed(address);
  }
  lastUsed.record(parsed.id, key.last_used_at, now, address);
  addresses.record({ ...use, refused: false });
  return { caller: callerOf(parsed.id, authorization, address), ...allowance(authorization) };
}

function callerOf(keyId: string, { key }: Authorization, address: string): Caller {
  return {
    tenantId: key.tenant_id,
    tenantSlug: key.slug,
    actor: `apikey:${keyId}`,
    rights: { kind: "key", keyId, scopes: scopesIn(key.scopes), owner: { userId: key.owner_id, role: key.owner_role } },
    address,
  };
}

function allowance({ key, passed, used, nowMs }: Authorization): Omit<Admission, "caller"> {
  const resetMs = Math.max(0, key.oldest_ms + WINDOW_MS - Math.max(nowMs, key.newest_ms));
  return {
    admitted: passed,
    limit: REQUESTS_PER_MINUTE,
    windowSeconds: WINDOW_MS / 1000,
    remaining: REQUESTS_PER_MINUTE - used,
    resetMs,
    resetSeconds: Math.ceil(resetMs / 1000),
  };
}
