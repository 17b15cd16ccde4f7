import { findTenantOfDevice } from "./client-id-store.ts";
import type { ConnectionsDeps } from "./deps.ts";

/** Returns the tenant whose device leases this client id; `undefined` if none does. */
export async function tenantOfDevice(
  { database }: Pick<ConnectionsDeps, "database">,
  clientId: string,
): Promise<string | undefined> {
  // PostgreSQL stores no NUL, so no device has such an id.
  if (clientId.includes("\0") || !clientId.isWellFormed()) return undefined;
  return await findTenantOfDevice(database.db, clientId);
}
