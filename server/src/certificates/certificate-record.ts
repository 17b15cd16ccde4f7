import { addMs } from "../lib/clock.ts";
import type { CertificateRow } from "./certificate-store.ts";
import { EXPIRY_WARNING_MS } from "./limits.ts";

/** A certificate's metadata (spec 2.5; fields as in docs/spec-decisions.md). Private keys are not stored. */
export interface CertificateRecord {
  id: string;
  deviceId: string;
  kind: "self_enrolled" | "platform";
  status: "active" | "revoked";
  expired: boolean;
  serialNumber: string;
  fingerprintSha256: string;
  subject: string;
  publishTopics: string[];
  issuedAt: Date;
  notBefore: Date;
  expiresAt: Date;
  renewAfterUtc: Date | null;
  /**
   * Whether this is a live platform certificate that expires within 30 days: no device renews it automatically (spec
   * 2.8).
   */
  expiringSoon: boolean;
  issuedBy: string;
  revokedAt: Date | null;
  revokedBy: string | null;
  revocationReason: "superseded" | "requested" | "device_deleted" | null;
  supersededById: string | null;
  lastConnectedAt: Date | null;
  connected: boolean;
}

export function toCertificateRecord(row: CertificateRow, now: Date): CertificateRecord {
  const expired = row.not_after <= now;
  const live = row.revoked_at === null && !expired;
  return {
    id: row.id,
    deviceId: row.device_id,
    kind: row.kind,
    status: row.revoked_at === null ? "active" : "revoked",
    expired,
    serialNumber: row.serial_number,
    fingerprintSha256: row.fingerprint_sha256,
    subject: row.subject,
    publishTopics: row.publish_topics,
    issuedAt: row.issued_at,
    notBefore: row.not_before,
    expiresAt: row.not_after,
    renewAfterUtc: row.renew_after,
    expiringSoon: live && row.kind === "platform" && addMs(row.not_after, -EXPIRY_WARNING_MS) <= now,
    issuedBy: row.issued_by,
    revokedAt: row.revoked_at,
    revokedBy: row.revoked_by,
    revocationReason: row.revocation_reason,
    supersededById: row.superseded_by_id,
    lastConnectedAt: row.last_connected_at,
    connected: row.connected,
  };
}
