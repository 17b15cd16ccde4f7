import type { Database } from "../../db/database.ts";
import { TenantBatchers } from "../../lib/batching/tenant-batchers.ts";
import { type Enrolled, enrollDevices, type FirstRedemption, isOfAll } from "./first-redemption-store.ts";
import type { NotRecorded } from "./recorded-redemption-store.ts";

/**
 * So few that of some tens of devices the others are read, signed and answered while a statement runs: in one statement all of them would wait for the
 * database, and then the database for all of them. Also the claims of a statement are locked until its commit.
 */
const MOST_AT_ONCE = 16;

/** Records first redemptions, under load many of a tenant in one statement: what a statement and a commit cost beside the rows is shared. */
export type FirstRedemptions = TenantBatchers<FirstRedemption, Enrolled | NotRecorded>;

export function createFirstRedemptions({ db }: Pick<Database, "db">): FirstRedemptions {
  return new TenantBatchers((tenantId) => ({
    most: MOST_AT_ONCE,
    // Of two with one fingerprint the second is refused, and of two with one key each is a finding of the other: one must be recorded before the other.
    keysOf: ({ reported, issued }) => [reported.fingerprintKey, issued.spkiSha256.toString("base64")],
    run: (redemptions) => enrollDevices(db, tenantId, redemptions),
    isOfAll,
  }));
}
