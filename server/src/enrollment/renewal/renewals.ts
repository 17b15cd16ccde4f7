import type { Database } from "../../db/database.ts";
import { RequestBatcher, type RequestBatcherOptions } from "../../lib/batching/request-batcher.ts";
import { TenantBatchers } from "../../lib/batching/tenant-batchers.ts";
import type { Topics } from "../answered-topics.ts";
import {
  commitRenewals,
  failsWholeBatch,
  type LockedDevices,
  type NotRenewed,
  type SignedRenewal,
} from "./renewal-store.ts";

/**
 * The greatest batch, as small as that of redemptions for the same reasons; a statement locks its devices until its
 * commit.
 */
const MOST_AT_ONCE = 16;

type Outcome = Topics | NotRenewed;

/** Records renewals. Under load, one statement records many, which share its fixed costs and its commit. */
export interface Renewals {
  /**
   * Records a renewal together with those of all tenants. It waits for no device lock: if another transaction holds
   * one, the outcome is `not_live`.
   */
  recordAtOnce(renewal: SignedRenewal): Promise<Outcome>;
  /** Records a renewal together with those of the same tenant only, since it waits for locks. */
  record(tenantId: string, renewal: SignedRenewal): Promise<Outcome>;
}

export function createRenewals({ db }: Pick<Database, "db">): Renewals {
  const batchesOf = (locked: LockedDevices): RequestBatcherOptions<SignedRenewal, Outcome> => ({
    most: MOST_AT_ONCE,
    // Two renewals of one certificate conflict, and two with one key create a finding, so they never share a statement.
    keysOf: ({ fingerprint, issued }) => [fingerprint, issued.spkiSha256.toString("base64")],
    run: (batch) => commitRenewals(db, batch, locked),
    failsWholeBatch,
  });
  const ofAll = new RequestBatcher(batchesOf("skipped"));
  const ofTenants = new TenantBatchers(() => batchesOf("awaited"));
  return {
    recordAtOnce: (renewal) => ofAll.ask(renewal),
    record: (tenantId, renewal) => ofTenants.ask(tenantId, renewal),
  };
}
