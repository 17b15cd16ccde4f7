import type { Db } from "../../db/database.ts";
import { rateLimited } from "../../lib/request-errors.ts";

const RETRY_SECONDS = 5;

/** The tenants that a change of many devices runs for, by database. */
const running = new WeakMap<Db, Set<string>>();

/**
 * Runs `work` unless the tenant has such work running in this process: many requests for many devices each would take the connections of
 * all tenants.
 *
 * @throws MusterError rate_limited
 */
export async function oneAtATime<T>(db: Db, tenantId: string, work: () => Promise<T>): Promise<T> {
  const tenants = running.get(db) ?? new Set<string>();
  running.set(db, tenants);
  if (tenants.has(tenantId))
    throw rateLimited("another change of many devices of the tenant is running", RETRY_SECONDS);
  tenants.add(tenantId);
  try {
    return await work();
  } finally {
    tenants.delete(tenantId);
  }
}
