import { type RawBuilder, sql } from "kysely";
import type { Parameters } from "../db/statement.ts";

// Fragments of the statements that renew a certificate or enroll a device again.

/** The parameters of {@link supersedeCertificate}. */
export interface SupersedeValues {
  /** SHA-256 of the replaced certificate, lower-case hex. */
  supersededFingerprint: string;
  /** The successor. */
  certificateId: string;
  actor: string;
  now: Date;
}

/**
 * Revokes a certificate in favor of its successor. Returns its `tenant_id`, `device_uid`, `device_id`, `serial_number`; no row
 * when it is not live any more: of two renewals with one certificate, the second finds it revoked.
 *
 * @param device FROM item whose row `device` has the locked device's `uid`
 * @param allowed a condition that is evaluated when the device is locked
 */
export function supersedeCertificate(
  p: Parameters<SupersedeValues>,
  device: RawBuilder<unknown>,
  allowed: RawBuilder<boolean>,
): RawBuilder<unknown> {
  return sql`
    UPDATE certificates c SET revoked_at = ${p.now}::timestamptz, revoked_by = ${p.actor}::text,
      revocation_reason = 'superseded', superseded_by_id = ${p.certificateId}::uuid
    FROM ${device} s WHERE c.device_uid = s.uid AND c.fingerprint_sha256 = ${p.supersededFingerprint}::text
      AND c.revoked_at IS NULL AND c.not_after > ${p.now}::timestamptz AND ${allowed}
    RETURNING c.tenant_id, c.device_uid, c.device_id, c.serial_number`;
}

/**
 * Reads the certificate by which a device proves itself, if it is live. FOR SHARE reads its present row rather than that of the
 * statement's beginning, so a revocation or deletion that came first is seen (docs/decisions/0007).
 *
 * @param device FROM item whose row has the locked device's `device_uid`
 */
export function lockLiveCertificate(
  p: Parameters<{ proofCertificateId: string; now: Date }>,
  device: RawBuilder<unknown>,
): RawBuilder<unknown> {
  return sql`
    SELECT c.id FROM ${device} s JOIN certificates c ON c.device_uid = s.device_uid
    WHERE c.id = ${p.proofCertificateId}::uuid AND c.revoked_at IS NULL AND c.not_after > ${p.now}::timestamptz
    FOR SHARE OF c`;
}

/** A condition: the key (SHA-256 of its SPKI) was blocked after a compromise. */
export function isKeyBlocked(spkiSha256: RawBuilder<Buffer | null>): RawBuilder<boolean> {
  return sql`EXISTS (SELECT 1 FROM blocked_keys b WHERE b.spki_sha256 = ${spkiSha256}::bytea)`;
}
