import { type RawBuilder, sql } from "kysely";
import { type IssuanceKind, insertIssuanceEntry } from "../audit/audit.ts";
import type { Parameters } from "../db/statement.ts";
import type { LeafCertificate } from "../pki/pki.ts";

/** A signed leaf that is about to be recorded. It may leave the process only once it is. */
export interface IssuedCertificate {
  id: string;
  kind: "self_enrolled" | "platform";
  leaf: LeafCertificate;
  spkiSha256: Buffer;
  publishTopics: readonly string[];
  subscribeTopics: readonly string[];
  /** The actor, e.g. `claim:<id>`. */
  issuedBy: string;
  claimId: string | null;
}

/** The parameters of {@link insertCertificate}. */
export interface CertificateValues {
  certificateId: string;
  certificateKind: string;
  serialNumber: string;
  certificateFingerprint: string;
  spkiSha256: Buffer;
  der: Buffer;
  subject: string;
  publishTopics: readonly string[];
  subscribeTopics: readonly string[];
  issuedAt: Date;
  notBefore: Date;
  notAfter: Date;
  renewAfter: Date | null;
  issuedBy: string;
  issuedForClaimId: string | null;
  auditId: string;
  now: Date;
}

export function certificateValues(issued: IssuedCertificate, auditId: string, now: Date): CertificateValues {
  const { leaf } = issued;
  return {
    certificateId: issued.id,
    certificateKind: issued.kind,
    serialNumber: leaf.serialNumber,
    certificateFingerprint: leaf.fingerprintSha256,
    spkiSha256: issued.spkiSha256,
    der: leaf.der,
    subject: leaf.subject,
    publishTopics: issued.publishTopics,
    subscribeTopics: issued.subscribeTopics,
    issuedAt: leaf.issuedAt,
    notBefore: leaf.notBefore,
    notAfter: leaf.notAfter,
    renewAfter: leaf.renewAfter ?? null,
    issuedBy: issued.issuedBy,
    issuedForClaimId: issued.claimId,
    auditId,
    now,
  };
}

/**
 * Two CTEs, `certificate` and `entry`: the certificate and its audit entry, recorded together or not at all.
 *
 * @param device FROM item whose row has `tenant_id`, `device_uid`, `device_id`; without a row nothing is recorded
 * @param previousSerial the serial that a renewal replaces, as an expression over that row `s`
 */
export function insertCertificate(
  kind: IssuanceKind,
  p: Parameters<CertificateValues>,
  device: RawBuilder<unknown>,
  previousSerial: RawBuilder<unknown> = sql`NULL::text`,
): RawBuilder<unknown> {
  return sql`certificate AS (
    INSERT INTO certificates
      (tenant_id, device_uid, device_id, id, kind, serial_number, fingerprint_sha256, spki_sha256, der, subject,
       publish_topics, subscribe_topics, issued_at, not_before, not_after, renew_after, issued_by, claim_id)
    SELECT s.tenant_id, s.device_uid, s.device_id, ${p.certificateId}::uuid, ${p.certificateKind}::text,
      ${p.serialNumber}::text, ${p.certificateFingerprint}::text, ${p.spkiSha256}::bytea, ${p.der}::bytea,
      ${p.subject}::text, ${p.publishTopics}::text[], ${p.subscribeTopics}::text[], ${p.issuedAt}::timestamptz,
      ${p.notBefore}::timestamptz, ${p.notAfter}::timestamptz, ${p.renewAfter}::timestamptz, ${p.issuedBy}::text,
      ${p.issuedForClaimId}::uuid
    FROM ${device} s
    RETURNING id, tenant_id, device_uid, device_id, serial_number, fingerprint_sha256, issued_by, claim_id
  ), entry AS (${insertIssuanceEntry(kind, p, sql`certificate c, ${device} s`, previousSerial)})`;
}
