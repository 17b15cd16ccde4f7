import type { Database } from "../db/database.ts";
import { CONNECTS_APART_MS, RequestBatcher } from "../lib/batching/request-batcher.ts";
import { findIdentities, type RecordedIdentity } from "./identity-store.ts";

const MOST_AT_ONCE = 64;

/** Looks up a certificate's record by the SHA-256 of its DER. Rejects when the database does not answer. */
export type FindIdentity = (fingerprint: string) => Promise<RecordedIdentity | undefined>;

/**
 * Creates a lookup that, under load, reads many identities in one statement. Each is read after its request, so earlier
 * revocations are seen.
 */
export function createIdentityLookups({ connects }: Pick<Database, "connects">): FindIdentity {
  const lookups = new RequestBatcher<string, RecordedIdentity | undefined>({
    most: MOST_AT_ONCE,
    apartMs: CONNECTS_APART_MS,
    async run(fingerprints) {
      const identities = await findIdentities(connects, fingerprints);
      return fingerprints.map((fingerprint) => identities.get(fingerprint));
    },
    failsWholeBatch: () => true,
  });
  return (fingerprint) => lookups.ask(fingerprint);
}
