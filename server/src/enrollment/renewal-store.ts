import type { Standing } from "../certificates/certificates.ts";
import { certificateParameters, type IssuedCertificate, insertCertificate } from "../certificates/certificates.ts";
import { type Db, runPrepared } from "../db/database.ts";

export interface RenewalFacts extends Standing {
  certificateId: string;
  deviceUid: string;
  deviceId: string;
  tenantSlug: string;
  /** Whether the CSR's key was blocked after a compromise. */
  keyBlocked: boolean;
  publishTemplates: string[];
  subscribeTemplates: string[];
}

const FACTS = `
  SELECT c.id AS "certificateId", c.device_uid AS "deviceUid", c.device_id AS "deviceId", t.slug AS "tenantSlug",
    c.not_after AS "notAfter", c.revoked_at AS "revokedAt", d.deleted_at AS "deviceDeletedAt",
    EXISTS (SELECT 1 FROM blocked_keys b WHERE b.spki_sha256 = $2::bytea) AS "keyBlocked",
    coalesce(y.publish_topics, '{}') AS "publishTemplates", coalesce(y.subscribe_topics, '{}') AS "subscribeTemplates"
  FROM certificates c JOIN devices d ON d.uid = c.device_uid JOIN tenants t ON t.id = c.tenant_id
  LEFT JOIN device_types y ON y.id = d.device_type_id
  WHERE c.fingerprint_sha256 = $1::text`;

/** Everything a renewal is judged by, of one moment; `undefined` when the presented certificate is not recorded. */
export async function renewalFacts(
  db: Db,
  peerFingerprint: string,
  spkiSha256: Buffer | undefined,
): Promise<RenewalFacts | undefined> {
  const [row] = await runPrepared<RenewalFacts>(db, "renewal-facts", FACTS, [peerFingerprint, spkiSha256 ?? null]);
  return row;
}

export interface Renewal {
  certificateId: string;
  deviceUid: string;
  /** The actor, `device:<id>`. */
  actor: string;
  issued: IssuedCertificate;
  auditId: string;
  now: Date;
}

// The guarded update of the old certificate is the decision: of two renewals with one certificate, one finds it revoked. The
// device's row is locked first, so deleting the device and this wait for each other.
const RENEW = `WITH device AS (
    SELECT uid FROM devices WHERE uid = $1::uuid AND deleted_at IS NULL FOR NO KEY UPDATE
  ), old AS (
    UPDATE certificates c SET revoked_at = $3::timestamptz, revoked_by = $4::text, revocation_reason = 'superseded',
      superseded_by_id = $5::uuid
    FROM device WHERE c.device_uid = device.uid AND c.id = $2::uuid AND c.revoked_at IS NULL
      AND c.not_after > $3::timestamptz
    RETURNING c.tenant_id, c.device_uid, c.device_id, c.serial_number
  ), ${insertCertificate("device_cert_renewed", 5, "old", "s.serial_number")}
  SELECT 1 AS renewed FROM old`;

/**
 * Replaces a certificate by its successor in one statement. `false`, and nothing is written, when the old one is not live
 * any more. How long the device holds its client id follows by trigger; a renewal never asks for it (spec 4.10 rule 4).
 */
export async function commitRenewal(db: Db, renewal: Renewal): Promise<boolean> {
  const { deviceUid, certificateId, now, actor } = renewal;
  const certificate = certificateParameters(renewal.issued, renewal.auditId, now);
  const rows = await runPrepared(db, "renew", RENEW, [deviceUid, certificateId, now, actor, ...certificate]);
  return rows.length === 1;
}
