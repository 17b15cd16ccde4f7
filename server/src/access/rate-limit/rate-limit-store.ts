import { sql } from "kysely";
import type { Db } from "../../db/database.ts";
import type { Pruned } from "../../db/prune.ts";
import { runStatement, statement } from "../../db/statement.ts";
import { records } from "../../lib/limits/records.ts";
import type { Role } from "../caller.ts";
import type { ParsedKey } from "../keys/api-key.ts";

/** The number of requests admitted in any 60 seconds, per API key (spec 8). */
export const REQUESTS_PER_MINUTE = records.requestsPerKey.value;
export const WINDOW_MS = 60_000;

/** A key as presented by simultaneous requests. */
export interface PresentedKey extends ParsedKey {
  /** The address of each request; `undefined` where it is unknown. */
  addresses: readonly (string | undefined)[];
}

/** An active key, and its window after these requests. Times are milliseconds of the request clock. */
export interface AuthorizedKey {
  /** The position among the presented keys, from 1. */
  nth: number;
  tenant_id: string;
  slug: string;
  /** The scopes, separated by spaces. */
  scopes: string;
  owner_id: string;
  owner_role: Role;
  last_used_at: Date | null;
  /** Whether each request comes from a range of its service account; null if requests may come from anywhere. */
  allowed: boolean[] | null;
  /** The number of admitted requests: the first ones. */
  passed: number;
  used: number;
  oldest_ms: number;
  newest_ms: number;
}

/**
 * Authenticates the keys of several requests and counts the requests against their limits in one statement
 * (`authorize_keys`). It holds the locks of their windows, so all processes share the limits. The owner's state and
 * role are read with the key: no way of removing a user leaves a key active (spec 5 rule 2), and a key never exceeds
 * its owner's current rights.
 *
 * @returns the active keys that were presented with the right secret; the others are not counted
 */
export async function authorizeKeys(
  db: Db,
  presented: readonly PresentedKey[],
  now: Date,
  nowMs: number,
): Promise<AuthorizedKey[]> {
  return await runStatement(db, authorize, {
    ids: presented.map(({ id }) => id),
    secretHashes: presented.map(({ secretHash }) => secretHash),
    addresses: presented.map(({ addresses }) => addresses.map((address) => address ?? "-").join(" ")),
    requests: presented.map(({ addresses }) => Math.min(addresses.length, REQUESTS_PER_MINUTE)),
    now,
    nowMs,
    most: REQUESTS_PER_MINUTE,
    windowMs: WINDOW_MS,
  });
}

/**
 * Visits the windows of the next `limit` keys after `from` and deletes those without an admitted request since
 * `sinceMs`, of ended and idle keys. It follows the order of keys, since an index by time would be written on every
 * request.
 */
export async function pruneWindows(
  db: Db,
  range: { sinceMs: number; from: string; limit: number },
): Promise<Pruned<string>> {
  const [pruned] = await runStatement(db, prune, range);
  return pruned!;
}

interface Presented {
  ids: string[];
  secretHashes: string[];
  addresses: string[];
  requests: number[];
  now: Date;
  nowMs: number;
  most: number;
  windowMs: number;
}

const authorize = statement<Presented, AuthorizedKey>(
  "authorize-keys",
  (p) => sql`
    SELECT * FROM authorize_keys(
      ${p.ids}, ${p.secretHashes}, ${p.addresses}, ${p.requests}, ${p.now}, ${p.nowMs}, ${p.most}, ${p.windowMs})`,
);

// Skipping a locked row is right, since it is in use.
const prune = statement<{ sinceMs: number; from: string; limit: number }, Pruned<string>>(
  "prune-windows",
  (p) => sql`
    WITH visited AS (
      SELECT count(*)::int AS rows, max(key_id) AS last FROM (
        SELECT key_id FROM api_key_windows WHERE key_id > ${p.from}::text ORDER BY key_id LIMIT ${p.limit}::int) next),
    deleted AS (
      DELETE FROM api_key_windows WHERE ctid = ANY (ARRAY(
        SELECT w.ctid FROM visited v, api_key_windows w
         WHERE w.key_id > ${p.from}::text AND w.key_id <= v.last AND w.times[cardinality(w.times)] <= ${p.sinceMs}::float8
           FOR UPDATE OF w SKIP LOCKED)))
    SELECT rows, last FROM visited`,
);
