import type { Database } from "../../db/database.ts";
import { TenantBatchers } from "../../lib/batching/tenant-batchers.ts";
import { type Enrolled, enrollDevices, type FirstRedemption, isOfAll } from "./first-redemption-store.ts";
import type { NotRecorded } from "./recorded-redemption-store.ts";

/**
 * The greatest batch. It is small enough that, of some tens of devices, others are read, signed and answered while a
 * statement runs. With one big batch, the devices and the database would wait for each other in turn. A statement also
 * locks its claims until its commit.
 */
const MOST_AT_ONCE = 16;

/**
 * Records first redemptions. Under load, one statement records many of a tenant, which share its fixed costs and its
 * commit.
 */
export type FirstRedemptions = TenantBatchers<FirstRedemption, Enrolled | NotRecorded>;

export function createFirstRedemptions({ db }: Pick<Database, "db">): FirstRedemptions {
  return new TenantBatchers((tenantId) => ({
    most: MOST_AT_ONCE,
    // Devices with one fingerprint conflict, and each of two with one key is a finding about the other; so the first
    // must be recorded before the second runs.
    keysOf: ({ reported, issued }) => [reported.fingerprintKey, issued.spkiSha256.toString("base64")],
    run: (redemptions) => enrollDevices(db, tenantId, redemptions),
    isOfAll,
  }));
}
