import type { Database } from "../../db/database.ts";
import { RequestBatcher } from "../../lib/batching/request-batcher.ts";
import type { Topics } from "../answered-topics.ts";
import { commitRenewals, isOfAll, type NotRenewed, type SignedRenewal } from "./renewal-store.ts";

/** The devices of a statement are locked until its commit. */
const MOST_AT_ONCE = 32;

/** Records a renewal. @returns the topics of the successor */
export type RecordRenewal = (renewal: SignedRenewal) => Promise<Topics | NotRenewed>;

/** Records renewals, under load many in one statement: what a statement and a commit cost beside the rows is shared. */
export function createRenewals({ db }: Pick<Database, "db">): RecordRenewal {
  const renewals = new RequestBatcher<SignedRenewal, Topics | NotRenewed>({
    most: MOST_AT_ONCE,
    // Of two with one certificate the second is refused, and of two with one key each is a finding of the other: one must be recorded before the other.
    keysOf: ({ fingerprint, issued }) => [fingerprint, issued.spkiSha256.toString("base64")],
    run: (batch) => commitRenewals(db, batch),
    isOfAll,
  });
  return (renewal) => renewals.ask(renewal);
}
