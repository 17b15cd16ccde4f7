import type { Db } from "../db/types.ts";
import { records } from "../lib/limits/records.ts";
import { TenantTurns } from "../lib/limits/tenant-turns.ts";
import { rateLimited } from "../lib/request-errors.ts";

const searches = new TenantTurns();
const steps = new TenantTurns();

/**
 * Runs `search` when the tenant's earlier ones have ended.
 *
 * @throws MusterError rate_limited when too many wait
 */
export async function oneLongSearch<T>(db: Db, tenantId: string, search: () => Promise<T>): Promise<T> {
  if (searches.count(db, tenantId) > records.waitingSearches.value)
    throw rateLimited(
      "Too many searches and sorted lists of the tenant are being read. Narrow them by another filter, or send them one by one.",
      1,
    );
  return await searches.take(db, tenantId, search);
}

/** Runs a step of a search when the tenant's earlier steps have ended, including those of single-step searches. */
export function oneStep<T>(db: Db, tenantId: string, step: () => Promise<T>): Promise<T> {
  return steps.take(db, tenantId, step);
}
