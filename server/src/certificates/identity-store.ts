import { type RawBuilder, sql } from "kysely";
import { plainArray } from "../db/array-literal.ts";
import type { Db } from "../db/database.ts";
import { readStatement, statement } from "../db/statement.ts";
import type { CertificateValidity } from "./identity.ts";

/** A recorded certificate with the device that it identifies. */
export interface RecordedIdentity extends CertificateValidity {
  certificateId: string;
  deviceUid: string;
  deviceId: string;
  tenantId: string;
  tenantSlug: string;
  serialNumber: string;
  publishTopics: string[];
  subscribeTopics: string[];
}

/** Reads by a unique index, on every MQTT connect. */
const findByFingerprints = statement<{ fingerprints: string }, RecordedIdentity & { fingerprint: string }>(
  "identities",
  (p) => sql`
  SELECT c.fingerprint_sha256 AS fingerprint, c.id AS "certificateId", c.device_uid AS "deviceUid",
    c.device_id AS "deviceId", c.tenant_id AS "tenantId", t.slug AS "tenantSlug", c.serial_number AS "serialNumber",
    c.publish_topics AS "publishTopics", c.subscribe_topics AS "subscribeTopics", c.not_after AS "notAfter",
    c.revoked_at AS "revokedAt", d.deleted_at AS "deviceDeletedAt"
  FROM unnest(${p.fingerprints}::text::text[]) AS n(fingerprint)
  JOIN certificates c ON c.fingerprint_sha256 = n.fingerprint
  JOIN shared_devices d ON d.uid = c.device_uid JOIN shared_tenants t ON t.id = c.tenant_id`,
);

/** Returns the recorded identities by the SHA-256 of certificates' DER (lower-case hex); unrecorded ones are absent. */
export async function findIdentities(
  db: Db,
  fingerprints: readonly string[],
): Promise<ReadonlyMap<string, RecordedIdentity>> {
  const rows = await readStatement(db, findByFingerprints, { fingerprints: plainArray(fingerprints) });
  return new Map(rows.map(({ fingerprint, ...identity }) => [fingerprint, identity]));
}

/**
 * Returns SQL that locks the unrevoked certificates of sessions being opened, until the sessions are recorded. A
 * revocation locks them FOR UPDATE. It either waits for this statement, or this statement waits for its commit and then
 * reads the current row rather than the snapshot's. The lock conflicts with no other update of a certificate.
 *
 * @param asked FROM item whose rows `n` have `certificate_id`, which may be NULL
 */
export function lockForSessions(asked: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`
    SELECT c.id FROM ${asked} n JOIN certificates c ON c.id = n.certificate_id
     WHERE c.revoked_at IS NULL ORDER BY c.id FOR KEY SHARE OF c`;
}
