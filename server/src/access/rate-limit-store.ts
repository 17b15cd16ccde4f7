import { type Db, runPrepared } from "../db/database.ts";
import type { ParsedKey } from "./api-key.ts";

/** Requests that any 60 seconds admit, per API key (spec 8). */
export const REQUESTS_PER_MINUTE = 120;
export const WINDOW_MS = 60_000;

/** One key as it was presented, by so many requests at once. */
export interface PresentedKey extends ParsedKey {
  requests: number;
}

/** A live key, and its window after the requests asked to pass. Times are milliseconds of the request clock. */
export interface JudgedKey {
  /** Which of the presented ones, from 1. */
  nth: number;
  tenant_id: string;
  slug: string;
  /** Separated by blanks. */
  scopes: string;
  last_used_at: Date | null;
  /** How many of the requests may pass: the first ones. */
  passed: number;
  used: number;
  oldest_ms: number;
  newest_ms: number;
}

/**
 * Judges the keys of several requests and counts the requests against their limits, in one statement (migration 0007), under
 * the locks of their windows, so that all processes share these. The creator's state is asked beside the key's own, so that no
 * way of removing a user can forget the keys (spec 5 rule 2).
 *
 * @returns the keys that are alive and were presented with their own secret; the others count for nothing
 */
export async function judgeKeys(
  db: Db,
  presented: readonly PresentedKey[],
  now: Date,
  nowMs: number,
): Promise<JudgedKey[]> {
  return await runPrepared<JudgedKey>(db, "judge-keys", JUDGE, [
    presented.map(({ id }) => id),
    presented.map(({ secretHash }) => secretHash),
    presented.map(({ requests }) => Math.min(requests, REQUESTS_PER_MINUTE)),
    now,
    nowMs,
  ]);
}

/** Removes the windows in which nothing was admitted after `sinceMs`: those of dead keys, and of keys that rest. */
export async function pruneWindows(db: Db, sinceMs: number): Promise<void> {
  await runPrepared(db, "prune-windows", PRUNE, [sinceMs]);
}

const JUDGE = "SELECT * FROM judge_keys($1, $2, $3, $4, $5)";

// Rows that are being counted in are passed over, which is right: they are in use.
const PRUNE = `
DELETE FROM api_key_windows WHERE key_id IN (
  SELECT key_id FROM api_key_windows WHERE times[cardinality(times)] <= $1::float8 FOR UPDATE SKIP LOCKED)`;
