import { sql } from "kysely";
import {
  type CertificateValidity,
  type CertificateValues,
  certificateValues,
  givenOrigin,
  type IssuedCertificate,
  insertCertificate,
  isKeyBlocked,
  type SupersedeValues,
  supersedeCertificate,
} from "../certificates/certificates.ts";
import type { Db } from "../db/database.ts";
import { refusalCode } from "../db/refusal.ts";
import { runStatement, statement } from "../db/statement.ts";
import { lockLiveDevice } from "../devices/devices.ts";

export interface RenewalFacts extends CertificateValidity {
  certificateId: string;
  deviceUid: string;
  deviceId: string;
  tenantSlug: string;
  /** Whether the CSR's key was blocked after a compromise. */
  keyBlocked: boolean;
  publishTemplates: string[];
  subscribeTemplates: string[];
}

const factsByFingerprint = statement<{ fingerprint: string; spkiSha256: Buffer | null }, RenewalFacts>(
  "renewal-facts",
  (p) => sql`
  SELECT c.id AS "certificateId", c.device_uid AS "deviceUid", c.device_id AS "deviceId", t.slug AS "tenantSlug",
    c.not_after AS "notAfter", c.revoked_at AS "revokedAt", d.deleted_at AS "deviceDeletedAt",
    ${isKeyBlocked(p.spkiSha256)} AS "keyBlocked",
    coalesce(y.publish_topics, '{}') AS "publishTemplates", coalesce(y.subscribe_topics, '{}') AS "subscribeTemplates"
  FROM shared_certificates c JOIN shared_devices d ON d.uid = c.device_uid JOIN shared_tenants t ON t.id = c.tenant_id
  LEFT JOIN shared_device_types y ON y.id = d.device_type_id
  WHERE c.fingerprint_sha256 = ${p.fingerprint}::text`,
);

/** Everything that decides a renewal, read in one snapshot; `undefined` when the presented certificate is not recorded. */
export async function readRenewalFacts(
  db: Db,
  fingerprint: string,
  spkiSha256: Buffer | undefined,
): Promise<RenewalFacts | undefined> {
  const [row] = await runStatement(db, factsByFingerprint, { fingerprint, spkiSha256: spkiSha256 ?? null });
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

// The device's row is locked first, so that a renewal and the deletion of the device wait for each other.
const renew = statement<CertificateValues & SupersedeValues & { deviceUid: string }, { renewed: number }>(
  "renew",
  (p) => sql`WITH device AS (${lockLiveDevice(p.deviceUid)}),
  old AS (${supersedeCertificate(p, sql.ref("device"))}),
  ${insertCertificate("device_cert_renewed", p, sql.ref("old"), givenOrigin(p), sql.ref("s.serial_number"))}
  SELECT 1 AS renewed FROM old`,
);

/** `not_live`: the old certificate is live no more. `key_blocked`: the new key was blocked since. Nothing is written then. */
export type RenewalOutcome = "renewed" | "not_live" | "key_blocked";

/**
 * Replaces a certificate by its successor in one statement.
 * A trigger extends the lease of the client id, without asking whether it is in use (spec 4.10 rule 4).
 */
export async function commitRenewal(db: Db, renewal: Renewal): Promise<RenewalOutcome> {
  const { deviceUid, certificateId: oldCertificateId, actor, issued, auditId, now } = renewal;
  const values = { deviceUid, oldCertificateId, actor, ...certificateValues(issued, auditId, now) };
  try {
    const rows = await runStatement(db, renew, values);
    return rows.length === 1 ? "renewed" : "not_live";
  } catch (error) {
    if (refusalCode(error) === "key_blocked") return "key_blocked";
    throw error;
  }
}
