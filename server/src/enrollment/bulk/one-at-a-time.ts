import type { Db } from "../../db/database.ts";
import { TenantTurns } from "../../lib/limits/tenant-turns.ts";
import { rateLimited } from "../../lib/request-errors.ts";

const RETRY_SECONDS = 5;

const changes = new TenantTurns();

/**
 * Runs `work` unless the tenant has such work running in this process. Concurrent bulk changes of one tenant would take
 * the connections of all tenants.
 *
 * @throws MusterError rate_limited
 */
export async function oneAtATime<T>(db: Db, tenantId: string, work: () => Promise<T>): Promise<T> {
  if (changes.count(db, tenantId) > 0)
    throw rateLimited("another change of many devices of the tenant is running", RETRY_SECONDS);
  return await changes.take(db, tenantId, work);
}
