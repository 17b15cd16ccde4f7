import type { Database } from "../../db/database.ts";
import { RequestBatcher, type RequestBatcherOptions } from "../../lib/batching/request-batcher.ts";
import { TenantBatchers } from "../../lib/batching/tenant-batchers.ts";
import type { Topics } from "../answered-topics.ts";
import { commitRenewals, isOfAll, type LockedDevices, type NotRenewed, type SignedRenewal } from "./renewal-store.ts";

/** As many as redemptions, for the same reasons; the devices of a statement are locked until its commit. */
const MOST_AT_ONCE = 16;

type Outcome = Topics | NotRenewed;

/** Records renewals, under load many in one statement: what a statement and a commit cost beside the rows is shared. */
export interface Renewals {
  /** With those of all tenants. Waits for no lock of a device: while another transaction has one, the outcome is `not_live`. */
  recordAtOnce(renewal: SignedRenewal): Promise<Outcome>;
  /** With those of the tenant only, since it waits for locks. */
  record(tenantId: string, renewal: SignedRenewal): Promise<Outcome>;
}

export function createRenewals({ db }: Pick<Database, "db">): Renewals {
  const batchesOf = (locked: LockedDevices): RequestBatcherOptions<SignedRenewal, Outcome> => ({
    most: MOST_AT_ONCE,
    // Of two with one certificate the second is refused, and of two with one key each is a finding of the other: one must be recorded before the other.
    keysOf: ({ fingerprint, issued }) => [fingerprint, issued.spkiSha256.toString("base64")],
    run: (batch) => commitRenewals(db, batch, locked),
    isOfAll,
  });
  const ofAll = new RequestBatcher(batchesOf("skipped"));
  const ofTenants = new TenantBatchers(() => batchesOf("awaited"));
  return {
    recordAtOnce: (renewal) => ofAll.ask(renewal),
    record: (tenantId, renewal) => ofTenants.ask(tenantId, renewal),
  };
}
