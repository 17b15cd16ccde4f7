import type { LeafCertificate } from "../pki/pki.ts";

/** A signed leaf that is about to be recorded; until then no one may have it. */
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

/** Column and SQL type of everything that does not come from the device's row, in the order of its parameters. */
const COLUMNS = [
  ["id", "uuid"],
  ["kind", "text"],
  ["serial_number", "text"],
  ["fingerprint_sha256", "text"],
  ["spki_sha256", "bytea"],
  ["der", "bytea"],
  ["subject", "text"],
  ["publish_topics", "text[]"],
  ["subscribe_topics", "text[]"],
  ["issued_at", "timestamptz"],
  ["not_before", "timestamptz"],
  ["not_after", "timestamptz"],
  ["renew_after", "timestamptz"],
  ["issued_by", "text"],
  ["claim_id", "uuid"],
] as const;

/** The values of {@link insertCertificate}, first the certificate's, then the audit entry's id and time. */
export function certificateParameters(issued: IssuedCertificate, auditId: string, now: Date): unknown[] {
  const { leaf } = issued;
  return [
    issued.id,
    issued.kind,
    leaf.serialNumber,
    leaf.fingerprintSha256,
    issued.spkiSha256,
    leaf.der,
    leaf.subject,
    issued.publishTopics,
    issued.subscribeTopics,
    leaf.issuedAt,
    leaf.notBefore,
    leaf.notAfter,
    leaf.renewAfter ?? null,
    issued.issuedBy,
    issued.claimId,
    auditId,
    now,
  ];
}

/**
 * Two CTEs, `certificate` and `entry`: the certificate and its audit entry, recorded together or not at all (reliability.md,
 * "released only when recorded").
 *
 * @param first number of the first of {@link certificateParameters}
 * @param device FROM clause whose row has `tenant_id`, `device_uid`, `device_id`; no row, no certificate
 * @param previousSerial SQL for the serial a renewal replaces, over the same FROM clause
 */
export function insertCertificate(
  kind: "device_cert_enrolled" | "device_cert_minted" | "device_cert_renewed",
  first: number,
  device: string,
  previousSerial = "NULL::text",
): string {
  const names = COLUMNS.map(([name]) => name).join(", ");
  const values = COLUMNS.map(([, type], index) => `$${first + index}::${type}`).join(", ");
  const audit = first + COLUMNS.length;
  return `certificate AS (
    INSERT INTO certificates (tenant_id, device_uid, device_id, ${names})
    SELECT s.tenant_id, s.device_uid, s.device_id, ${values} FROM ${device} s
    RETURNING id, tenant_id, device_uid, device_id, serial_number, fingerprint_sha256, issued_by, claim_id, not_after
  ), entry AS (
    INSERT INTO certificate_audit
      (id, tenant_id, kind, at, actor, device_id, certificate_id, serial_number, previous_serial_number,
       fingerprint_sha256, claim_id)
    SELECT $${audit}::uuid, c.tenant_id, '${kind}', $${audit + 1}::timestamptz, c.issued_by, c.device_id, c.id,
      c.serial_number, ${previousSerial}, c.fingerprint_sha256, c.claim_id
    FROM certificate c, ${device} s
  )`;
}

/** How many parameters {@link insertCertificate} takes. */
export const CERTIFICATE_PARAMETERS = COLUMNS.length + 2;

/**
 * The CTE `held`: the device takes its client id, or extends its hold, until the certificate ends. No row comes out of it
 * while an MQTT client or a device of another tenant holds the id; the row's own lock decides, so two cannot both
 * win (spec 4.10).
 *
 * @param device FROM clause as in {@link insertCertificate}
 * @param notAfter parameter of the certificate's end
 * @param now parameter of the present
 */
export function holdClientId(device: string, notAfter: string, now: string): string {
  return `held AS (
    INSERT INTO client_ids AS held (client_id, tenant_id, holder, live_until)
    SELECT s.device_id, s.tenant_id, 'device', ${notAfter}::timestamptz FROM ${device} s
    ON CONFLICT (client_id) DO UPDATE SET
      tenant_id = excluded.tenant_id,
      live_until = CASE WHEN held.tenant_id = excluded.tenant_id
        THEN greatest(held.live_until, excluded.live_until) ELSE excluded.live_until END
    WHERE held.holder = 'device'
      AND (held.tenant_id = excluded.tenant_id OR held.live_until <= ${now}::timestamptz)
    RETURNING client_id
  )`;
}

/**
 * An SQL condition: somebody else holds the client id now. For judging before the work is done; {@link holdClientId} decides.
 */
export function clientIdTaken(clientId: string, tenantId: string, now: string): string {
  return `EXISTS (SELECT 1 FROM client_ids i WHERE i.client_id = ${clientId}
    AND (i.holder = 'mqtt_client' OR (i.tenant_id <> ${tenantId} AND i.live_until > ${now}::timestamptz)))`;
}
