import { type RawBuilder, sql } from "kysely";
import type { Parameters } from "../db/statement.ts";

// Fragments of the statements that renew a certificate or enroll a device again.

/** The values of {@link supersedeCertificates}. */
export interface SupersedeValues {
  /** SHA-256 of the replaced certificate, lower-case hex. */
  supersededFingerprint: string;
  /** The successor. */
  certificateId: string;
  actor: string;
  now: Date;
}

/**
 * Returns SQL that revokes certificates in favor of their successors. It yields their `tenant_id`, `device_uid`,
 * `device_id`, `serial_number`, `fingerprint_sha256`, without certificates that are no longer live: of two renewals
 * with one certificate, the second finds it revoked. Fires `certificates_end_retained`,
 * `certificates_of_device_revoked`, `certificates_release_client_id`.
 *
 * @param p expressions over the row `s` of `devices`
 * @param devices FROM item whose rows have the `device_uid` of locked devices, and the values
 */
export function supersedeCertificates(
  p: Parameters<SupersedeValues>,
  devices: RawBuilder<unknown>,
): RawBuilder<unknown> {
  return sql`
    UPDATE certificates c SET revoked_at = ${p.now}::timestamptz, revoked_by = ${p.actor}::text,
      revocation_reason = 'superseded', superseded_by_id = ${p.certificateId}::uuid
    FROM ${devices} s WHERE c.fingerprint_sha256 = ${p.supersededFingerprint} AND c.device_uid = s.device_uid
      AND c.revoked_at IS NULL AND c.not_after > ${p.now}::timestamptz
    RETURNING c.tenant_id, c.device_uid, c.device_id, c.serial_number, c.fingerprint_sha256`;
}

/**
 * Returns SQL that reads a device's proof certificate, if it is live. FOR SHARE reads its current row rather than the
 * statement's snapshot, so an earlier revocation or deletion is seen (docs/decisions/0007).
 *
 * @param device FROM item whose row has the locked device's `device_uid`
 */
export function lockLiveCertificate(
  p: Parameters<{ proofCertificateId: string | null; now: Date }>,
  device: RawBuilder<unknown>,
): RawBuilder<unknown> {
  return sql`
    SELECT c.id FROM ${device} s JOIN certificates c ON c.device_uid = s.device_uid
    WHERE c.id = ${p.proofCertificateId}::uuid AND c.revoked_at IS NULL AND c.not_after > ${p.now}::timestamptz
    FOR SHARE OF c`;
}

/** Returns the SQL condition that the key (SHA-256 of its SPKI) was blocked after a compromise. */
export function isKeyBlocked(spkiSha256: RawBuilder<Buffer | null>): RawBuilder<boolean> {
  return sql`EXISTS (SELECT 1 FROM blocked_keys b WHERE b.spki_sha256 = ${spkiSha256}::bytea)`;
}
