import type { Database } from "../../db/database.ts";
import { RequestBatcher } from "../../lib/batching/request-batcher.ts";
import { type Enrolled, enrollDevices, type FirstRedemption, isOfAll } from "./first-redemption-store.ts";
import type { NotRecorded } from "./recorded-redemption-store.ts";

/** The claims of a statement are locked until its commit. */
const MOST_AT_ONCE = 32;

type Batcher = RequestBatcher<FirstRedemption, Enrolled | NotRecorded>;

/**
 * Records first redemptions, under load many of a tenant in one statement: what a statement and a commit cost beside the rows is shared. A tenant's
 * redemptions never wait for locks of another one's.
 */
export class FirstRedemptions {
  readonly #database: Pick<Database, "db">;
  readonly #tenants = new Map<string, { batcher: Batcher; running: number }>();

  constructor(database: Pick<Database, "db">) {
    this.#database = database;
  }

  async record(tenantId: string, redemption: FirstRedemption): Promise<Enrolled | NotRecorded> {
    const tenant = this.#tenants.get(tenantId) ?? { batcher: this.#newBatcher(tenantId), running: 0 };
    this.#tenants.set(tenantId, tenant);
    tenant.running++;
    try {
      return await tenant.batcher.ask(redemption);
    } finally {
      if (--tenant.running === 0) this.#tenants.delete(tenantId);
    }
  }

  #newBatcher(tenantId: string): Batcher {
    return new RequestBatcher({
      most: MOST_AT_ONCE,
      // Of two with one fingerprint the second is refused, and of two with one key each is a finding of the other: one must be recorded before the other.
      keysOf: ({ reported, issued }) => [reported.fingerprintKey, issued.spkiSha256.toString("base64")],
      run: (redemptions) => enrollDevices(this.#database.db, tenantId, redemptions),
      isOfAll,
    });
  }
}
