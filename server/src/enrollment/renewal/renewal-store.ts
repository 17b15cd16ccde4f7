import { sql } from "kysely";
import {
  type CertificateValidity,
  insertCertificate,
  isKeyBlocked,
  type SignedCertificate,
  type SignedValues,
  type SupersedeValues,
  signedValues,
  supersedeCertificates,
} from "../../certificates/certificates.ts";
import type { Db } from "../../db/database.ts";
import { isReadOnly, isUnavailable, refusalCode } from "../../db/refusal.ts";
import { runStatement, statement } from "../../db/statement.ts";
import { lockLiveDevices, withTopics } from "../../devices/devices.ts";
import type { Topics } from "../answered-topics.ts";
import { askedRows, jsonOf, SIGNED_TYPES } from "../asked-rows-store.ts";
import { isInTime } from "../deadline-store.ts";

export interface RenewalFacts extends CertificateValidity {
  tenantId: string;
  deviceId: string;
  /** Whether the CSR's key was blocked after a compromise. */
  keyBlocked: boolean;
}

const factsByFingerprint = statement<{ fingerprint: string; spkiSha256: Buffer | null }, RenewalFacts>(
  "renewal-facts",
  (p) => sql`
  SELECT c.tenant_id AS "tenantId", c.device_id AS "deviceId", c.not_after AS "notAfter", c.revoked_at AS "revokedAt",
    d.deleted_at AS "deviceDeletedAt", ${isKeyBlocked(p.spkiSha256)} AS "keyBlocked"
  FROM shared_certificates c JOIN shared_devices d ON d.uid = c.device_uid
  WHERE c.fingerprint_sha256 = ${p.fingerprint}::text`,
);

/**
 * Reads all facts that decide a renewal in one snapshot; returns `undefined` when the presented certificate is not
 * recorded.
 */
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
  /** SHA-256 of the replaced certificate, lower-case hex. */
  fingerprint: string;
  /** The device that the leaf is signed for. */
  deviceId: string;
  issued: SignedCertificate;
  auditId: string;
  /** The deadline by the clock of the database; `null` for none. */
  until: Date | null;
  now: Date;
}

interface RenewalValues extends SignedValues, SupersedeValues {
  deviceId: string;
  until: Date | null;
}

const rows = askedRows<RenewalValues>({
  ...SIGNED_TYPES,
  supersededFingerprint: "text",
  actor: "text",
  deviceId: "text",
  until: "timestamptz",
});
const [asked, renewed] = [sql.ref("asked"), sql.ref("renewed")];

/** The treatment of a renewal whose device another transaction has locked: it waits, or is not recorded. */
export type LockedDevices = "awaited" | "skipped";

// Devices' rows are locked first, so that a renewal and the deletion of the device wait for each other. Certificates
// are looked up one by one, by index.
const renewWith = (locked: LockedDevices) =>
  statement<{ asked: string }, Topics & { certificateId: string }>(
    `renew-many-${locked}`,
    (p) => sql`WITH asked AS MATERIALIZED (
    SELECT a.*, (SELECT c.device_uid FROM shared_certificates c
      WHERE c.fingerprint_sha256 = a."supersededFingerprint" AND c.device_id = a."deviceId") AS device_uid
    FROM ${rows.from(p.asked)}
  ),
  device AS MATERIALIZED (
    SELECT l.*, clock_timestamp() AS locked_at
    FROM (${lockLiveDevices(sql`(SELECT device_uid FROM ${asked})`, locked)}) l
  ),
  old AS (${supersedeCertificates(
    rows.valuesOf("s"),
    sql`(SELECT a.*, d.device_type_id FROM device d JOIN ${asked} a ON a.device_uid = d.uid
    WHERE ${isInTime(sql.ref("a.until"), sql.ref("d.locked_at"))})`,
  )}),
  named AS (
    SELECT a.*, o.tenant_id, o.device_id, o.serial_number, 't/' || t.slug AS prefix, y.publish_topics AS publish_templates,
      y.subscribe_topics AS subscribe_templates
    FROM old o JOIN ${asked} a ON a."supersededFingerprint" = o.fingerprint_sha256 JOIN device d ON d.uid = o.device_uid
    JOIN shared_tenants t ON t.id = o.tenant_id LEFT JOIN shared_device_types y ON y.id = d.device_type_id
  ),
  renewed AS (SELECT n.*, ${withTopics("n")} FROM named n),
  ${insertCertificate(
    "device_cert_renewed",
    rows.valuesOf("s"),
    renewed,
    {
      publishTopics: sql.ref("s.publish_topics"),
      subscribeTopics: sql.ref("s.subscribe_topics"),
      issuedBy: sql.ref("s.actor"),
      claimId: sql`NULL::uuid`,
    },
    sql.ref("s.serial_number"),
  )}
  SELECT "certificateId", publish_topics AS "publishTopics", subscribe_topics AS "subscribeTopics" FROM ${renewed}`,
  );
const renew = { awaited: renewWith("awaited"), skipped: renewWith("skipped") };

/**
 * The reason why nothing was written. `not_live`: the replaced certificate is no longer live or not the device's, or
 * its device was locked and skipped. `key_blocked`: the new key is blocked.
 */
export type NotRenewed = "not_live" | "key_blocked";

/**
 * Replaces certificates by their successors in one statement. No two of them may share a certificate or key. A trigger
 * extends the leases of the client ids without checking whether they are in use (spec 4.10 rule 4).
 *
 * @returns the topics of each successor, in the same order. A refusal that concerns a batch of several is thrown as an
 * error.
 */
export async function commitRenewals(
  db: Db,
  renewals: readonly SignedRenewal[],
  locked: LockedDevices,
): Promise<(Topics | NotRenewed)[]> {
  try {
    const recorded = await runStatement(db, renew[locked], { asked: jsonOf(renewals.map(valuesOf)) });
    const topics = new Map(recorded.map(({ certificateId, ...each }) => [certificateId, each]));
    return renewals.map(({ issued }) => topics.get(issued.id) ?? "not_live");
  } catch (error) {
    if (renewals.length > 1) throw error;
    if (refusalCode(error) === "key_blocked") return ["key_blocked"];
    // This precedes reading the facts: a read-only database can still report that a certificate is revoked.
    if (renewals[0]!.until !== null && isReadOnly(error)) return ["not_live"];
    throw error;
  }
}

function valuesOf(renewal: SignedRenewal): RenewalValues {
  const { fingerprint: supersededFingerprint, deviceId, issued, auditId, until, now } = renewal;
  const actor = `device:${deviceId}`;
  return { supersededFingerprint, deviceId, until, actor, ...signedValues(issued, auditId, now) };
}

/** Whether an error concerns every renewal of a statement. */
export const failsWholeBatch = (error: unknown): boolean => isUnavailable(error) && !isReadOnly(error);
