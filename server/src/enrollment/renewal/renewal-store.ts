import { sql } from "kysely";
import {
  type CertificateValidity,
  insertCertificate,
  isKeyBlocked,
  type SignedCertificate,
  type SignedValues,
  type SupersedeValues,
  signedValues,
  supersedeCertificate,
} from "../../certificates/certificates.ts";
import type { Db } from "../../db/database.ts";
import { isReadOnly, refusalCode } from "../../db/refusal.ts";
import { runStatement, statement } from "../../db/statement.ts";
import { lockLiveDevice, withTopics } from "../../devices/devices.ts";
import type { Topics } from "../answered-topics.ts";
import { isInTime } from "../deadline-store.ts";

export interface RenewalFacts extends CertificateValidity {
  deviceId: string;
  /** Whether the CSR's key was blocked after a compromise. */
  keyBlocked: boolean;
}

const factsByFingerprint = statement<{ fingerprint: string; spkiSha256: Buffer | null }, RenewalFacts>(
  "renewal-facts",
  (p) => sql`
  SELECT c.device_id AS "deviceId", c.not_after AS "notAfter", c.revoked_at AS "revokedAt", d.deleted_at AS "deviceDeletedAt",
    ${isKeyBlocked(p.spkiSha256)} AS "keyBlocked"
  FROM shared_certificates c JOIN shared_devices d ON d.uid = c.device_uid
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

/** The successor of a certificate, ready to be recorded. */
export interface SignedRenewal {
  /** SHA-256 of the certificate that it replaces, lower-case hex. */
  fingerprint: string;
  /** The device that the leaf is signed for. */
  deviceId: string;
  issued: SignedCertificate;
  auditId: string;
  /** By the clock of the database; nothing is recorded later, unless null. */
  until: Date | null;
  now: Date;
}

interface RenewalValues extends SignedValues, SupersedeValues {
  deviceId: string;
  until: Date | null;
}

// The device's row is locked first, so that a renewal and the deletion of the device wait for each other.
const renew = statement<RenewalValues, Topics>(
  "renew",
  (p) => sql`WITH device AS (${lockLiveDevice(sql`(SELECT c.device_uid FROM shared_certificates c
    WHERE c.fingerprint_sha256 = ${p.supersededFingerprint}::text AND c.device_id = ${p.deviceId}::text)`)}),
  old AS (${supersedeCertificate(p, sql.ref("device"), isInTime(p.until))}),
  named AS (
    SELECT o.*, 't/' || t.slug AS prefix, y.publish_topics, y.subscribe_topics
    FROM old o CROSS JOIN device d JOIN shared_tenants t ON t.id = o.tenant_id
    LEFT JOIN shared_device_types y ON y.id = d.device_type_id
  ),
  renewed AS (SELECT n.tenant_id, n.device_uid, n.device_id, n.serial_number, ${withTopics("n")} FROM named n),
  ${insertCertificate(
    "device_cert_renewed",
    p,
    sql.ref("renewed"),
    {
      publishTopics: sql.ref("s.publish_topics"),
      subscribeTopics: sql.ref("s.subscribe_topics"),
      issuedBy: sql`${p.actor}::text`,
      claimId: sql`NULL::uuid`,
    },
    sql.ref("s.serial_number"),
  )}
  SELECT publish_topics AS "publishTopics", subscribe_topics AS "subscribeTopics" FROM renewed`,
);

/** `not_live`: the replaced certificate is live no more, or not the device's. `key_blocked`: the new key is blocked. Nothing is written then. */
export type NotRenewed = "not_live" | "key_blocked";

/**
 * Replaces a certificate by its successor in one statement.
 * A trigger extends the lease of the client id, without asking whether it is in use (spec 4.10 rule 4).
 *
 * @returns the topics of the successor
 */
export async function commitRenewal(db: Db, renewal: SignedRenewal): Promise<Topics | NotRenewed> {
  const { fingerprint: supersededFingerprint, deviceId, issued, auditId, until, now } = renewal;
  const values = { supersededFingerprint, deviceId, until, actor: `device:${deviceId}` };
  try {
    const [row] = await runStatement(db, renew, { ...values, ...signedValues(issued, auditId, now) });
    return row ?? "not_live";
  } catch (error) {
    if (refusalCode(error) === "key_blocked") return "key_blocked";
    // Before the facts are read: a database that cannot write still says of a revoked certificate that it is.
    if (until !== null && isReadOnly(error)) return "not_live";
    throw error;
  }
}
