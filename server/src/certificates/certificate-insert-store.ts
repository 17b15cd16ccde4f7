import { type RawBuilder, sql } from "kysely";
import { type IssuanceKind, insertIssuanceEntry } from "../audit/audit.ts";
import type { Parameters } from "../db/statement.ts";
import type { LeafCertificate } from "../pki/pki.ts";

/** A signed leaf that is about to be recorded. It may leave the process only once it is. */
export interface SignedCertificate {
  id: string;
  kind: "self_enrolled" | "platform";
  leaf: LeafCertificate;
  spkiSha256: Buffer;
}

/** A signed leaf with its topics and its issuer. */
export interface IssuedCertificate extends SignedCertificate {
  publishTopics: readonly string[];
  subscribeTopics: readonly string[];
  /** The actor, e.g. `claim:<id>`. */
  issuedBy: string;
  claimId: string | null;
}

/** The parameters of {@link insertCertificate}. */
export interface SignedValues {
  certificateId: string;
  certificateKind: string;
  serialNumber: string;
  certificateFingerprint: string;
  spkiSha256: Buffer;
  der: Buffer;
  subject: string;
  issuedAt: Date;
  notBefore: Date;
  notAfter: Date;
  renewAfter: Date | null;
  auditId: string;
  now: Date;
}

/** The parameters of {@link insertCertificate} and {@link givenOrigin}. */
export interface CertificateValues extends SignedValues {
  publishTopics: readonly string[];
  subscribeTopics: readonly string[];
  issuedBy: string;
  issuedForClaimId: string | null;
}

export function certificateValues(issued: IssuedCertificate, auditId: string, now: Date): CertificateValues {
  return {
    ...signedValues(issued, auditId, now),
    publishTopics: issued.publishTopics,
    subscribeTopics: issued.subscribeTopics,
    issuedBy: issued.issuedBy,
    issuedForClaimId: issued.claimId,
  };
}

export function signedValues(signed: SignedCertificate, auditId: string, now: Date): SignedValues {
  const { leaf } = signed;
  return {
    certificateId: signed.id,
    certificateKind: signed.kind,
    serialNumber: leaf.serialNumber,
    certificateFingerprint: leaf.fingerprintSha256,
    spkiSha256: signed.spkiSha256,
    der: leaf.der,
    subject: leaf.subject,
    issuedAt: leaf.issuedAt,
    notBefore: leaf.notBefore,
    notAfter: leaf.notAfter,
    renewAfter: leaf.renewAfter ?? null,
    auditId,
    now,
  };
}

/** Expressions over the row `s` of the device: the topics of a certificate, its issuer and its claim. */
export interface CertificateOrigin {
  publishTopics: RawBuilder<unknown>;
  subscribeTopics: RawBuilder<unknown>;
  issuedBy: RawBuilder<unknown>;
  claimId: RawBuilder<unknown>;
}

/** Returns the origin that is known before the statement. */
export function givenOrigin(p: Parameters<CertificateValues>): CertificateOrigin {
  return {
    publishTopics: sql`${p.publishTopics}::text[]`,
    subscribeTopics: sql`${p.subscribeTopics}::text[]`,
    issuedBy: sql`${p.issuedBy}::text`,
    claimId: sql`${p.issuedForClaimId}::uuid`,
  };
}

/**
 * Returns two CTEs, `certificate` and `entry`, that record the certificate and its audit entry together or not at all.
 * Fires `certificates_added`.
 *
 * @param device FROM item whose row has `tenant_id`, `device_uid`, `device_id`; without a row nothing is recorded
 * @param previousSerial the serial that a renewal replaces, as an expression over that row `s`
 */
export function insertCertificate(
  kind: IssuanceKind,
  p: Parameters<SignedValues>,
  device: RawBuilder<unknown>,
  origin: CertificateOrigin,
  previousSerial: RawBuilder<unknown> = sql`NULL::text`,
): RawBuilder<unknown> {
  return sql`certificate AS (
    INSERT INTO certificates
      (tenant_id, device_uid, device_id, id, kind, serial_number, fingerprint_sha256, spki_sha256, der, subject,
       publish_topics, subscribe_topics, issued_at, not_before, not_after, renew_after, issued_by, claim_id)
    SELECT s.tenant_id, s.device_uid, s.device_id, ${p.certificateId}::uuid, ${p.certificateKind}::text,
      ${p.serialNumber}::text, ${p.certificateFingerprint}::text, ${p.spkiSha256}::bytea, ${p.der}::bytea,
      ${p.subject}::text, ${origin.publishTopics}, ${origin.subscribeTopics}, ${p.issuedAt}::timestamptz,
      ${p.notBefore}::timestamptz, ${p.notAfter}::timestamptz, ${p.renewAfter}::timestamptz, ${origin.issuedBy},
      ${origin.claimId}
    FROM ${device} s
    RETURNING id, tenant_id, device_uid, device_id, serial_number, fingerprint_sha256, issued_by, claim_id
  ), entry AS (${insertIssuanceEntry(kind, p, sql`certificate c JOIN ${device} s ON s.device_uid = c.device_uid`, previousSerial)})`;
}
