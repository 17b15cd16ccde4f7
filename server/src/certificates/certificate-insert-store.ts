import { type RawBuilder, sql } from "kysely";
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
  kind: "device_cert_enrolled" | "device_cert_minted" | "device_cert_renewed",
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
    RETURNING id, tenant_id, device_uid, device_id, serial_number, fingerprint_sha256, issued_by, claim_id, not_after
  ), entry AS (
    INSERT INTO certificate_audit
      (id, tenant_id, kind, at, actor, device_id, certificate_id, serial_number, previous_serial_number,
       fingerprint_sha256, claim_id)
    SELECT ${p.auditId}::uuid, c.tenant_id, ${sql.lit(kind)}, ${p.now}::timestamptz, c.issued_by, c.device_id, c.id,
      c.serial_number, ${previousSerial}, c.fingerprint_sha256, c.claim_id
    FROM certificate c, ${device} s
  )`;
}

/**
 * The CTE `leased`: leases the device's client id to it until the certificate ends, or extends its lease. No row comes out while an
 * MQTT client or a device of another tenant has the id. The lock of the id's row lets only one of two succeed (spec 4.10).
 *
 * @param device FROM item as in {@link insertCertificate}
 */
export function leaseClientId(
  p: Parameters<Pick<CertificateValues, "notAfter" | "now">>,
  device: RawBuilder<unknown>,
): RawBuilder<unknown> {
  return sql`leased AS (
    INSERT INTO client_ids AS lease (client_id, tenant_id, holder, live_until)
    SELECT s.device_id, s.tenant_id, 'device', ${p.notAfter}::timestamptz FROM ${device} s
    ON CONFLICT (client_id) DO UPDATE SET
      tenant_id = excluded.tenant_id,
      live_until = CASE WHEN lease.tenant_id = excluded.tenant_id
        THEN greatest(lease.live_until, excluded.live_until) ELSE excluded.live_until END
    WHERE lease.holder = 'device'
      AND (lease.tenant_id = excluded.tenant_id OR lease.live_until <= ${p.now}::timestamptz)
    RETURNING client_id
  )`;
}

/**
 * A condition: an MQTT client or another tenant's device has the client id now. Answers early; {@link leaseClientId} decides.
 *
 * @param clientId and `tenantId`: expressions of the surrounding statement
 */
export function clientIdInUse(
  clientId: RawBuilder<unknown>,
  tenantId: RawBuilder<unknown>,
  now: RawBuilder<Date>,
): RawBuilder<boolean> {
  return sql`EXISTS (SELECT 1 FROM client_ids i WHERE i.client_id = ${clientId}
    AND (i.holder = 'mqtt_client' OR (i.tenant_id <> ${tenantId} AND i.live_until > ${now}::timestamptz)))`;
}
