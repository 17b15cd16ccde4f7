import { sql } from "kysely";
import { spendAllowance } from "../../access/access.ts";
import {
  type CertificateValues,
  certificateValues,
  givenOrigin,
  type IssuedCertificate,
  insertCertificate,
  lockLiveCertificate,
  type SignedCertificate,
  type SignedValues,
  signedValues,
} from "../../certificates/certificates.ts";
import { leaseToDevice } from "../../connections/connections.ts";
import type { Db } from "../../db/database.ts";
import { refusalCode, refuse, violatedUnique } from "../../db/refusal.ts";
import { type Parameters, runStatement, statement } from "../../db/statement.ts";
import {
  type EnrolledDeviceValues,
  insertEnrolledDevice,
  joinIntendedGroups,
  leaveOtherGroups,
  updateEnrolledDevice,
  withTopics,
} from "../../devices/devices.ts";
import { isInTime } from "../deadline-store.ts";
import type { ReportedHardware } from "../reported-hardware.ts";

interface Redemption {
  device: { uid: string; id: string };
  reported: ReportedHardware;
  auditId: string;
  now: Date;
}

/** The first redemption of a device, ready to be recorded. */
export interface FirstRedemption extends Redemption {
  codeHmac: Buffer;
  /** By the clock of the database; nothing is recorded later, unless null. */
  until: Date | null;
  issued: SignedCertificate;
}

/** The redemption of a device that enrolled before. */
export interface Reenrollment extends Redemption {
  claimId: string;
  /** The certificate that proves that it is this device. */
  proofCertificateId: string;
  issued: IssuedCertificate;
}

/** What the claim of a recorded redemption says of its device. */
export interface Enrolled {
  tenantSlug: string;
  publishTopics: string[];
  subscribeTopics: string[];
  /** Whether this was the last use of the claim. */
  usedUp: boolean;
}

/**
 * `changed`: the claim may not be redeemed for a new device of this fingerprint (any more); reading the facts says why. `client_id_in_use`: the client
 * id was leased to another since. In both cases nothing is written, and no use of the claim is counted.
 */
export type NotRecorded = "changed" | "client_id_in_use";

/** Counts a use of the claim `c`; returns no row when the claim may no longer be redeemed (spec 3.1 rule 1). */
const countUse = (p: Parameters<{ now: Date }>, which = sql`true`) => sql`claim AS (
    UPDATE claims c SET used_count = used_count + 1, last_redeemed_at = ${p.now}::timestamptz,
      status = CASE WHEN used_count + 1 = max_uses THEN 'used' ELSE status END
    WHERE status = 'pending' AND used_count < max_uses AND expires_at > ${p.now}::timestamptz AND ${which}
    RETURNING id, tenant_id, status, intended_name, intended_device_type_id, intended_group_ids
  )`;

const claim = sql.ref("claim");
const device = sql.ref("device");
const enrolled = sql.ref("enrolled");
const proved = sql.ref("proved");

interface FirstValues extends SignedValues, EnrolledDeviceValues {
  codeHmac: Buffer;
  until: Date | null;
  quotaRound: string | null;
}

// The quota's lock comes before that of the claim, as in a transaction that counts.
const isRoom = (p: Parameters<FirstValues>) => spendAllowance(sql.ref("c.tenant_id"), "devices", p.quotaRound);

const isNewDevice = (p: Parameters<FirstValues>) => sql`NOT EXISTS (SELECT FROM shared_devices d
  WHERE d.tenant_id = c.tenant_id AND d.fingerprint_key = ${p.fingerprintKey}::text AND d.deleted_at IS NULL)`;

const enroll = statement<FirstValues, Enrolled & { recorded: boolean }>(
  "redeem-first",
  (
    p,
  ) => sql`WITH ${countUse(p, sql`c.code_hmac = ${p.codeHmac}::bytea AND ${isInTime(p.until)} AND ${isNewDevice(p)} AND ${isRoom(p)}`)},
  device AS (${insertEnrolledDevice(p, claim)}),
  joined AS (${joinIntendedGroups(device, claim)}),
  ${leaseToDevice(p, device)},
  named AS (
    SELECT d.*, c.id AS claim_id, c.status, t.slug, 't/' || t.slug AS prefix, y.publish_topics, y.subscribe_topics
    FROM device d CROSS JOIN claim c JOIN shared_tenants t ON t.id = c.tenant_id
    LEFT JOIN shared_device_types y ON y.id = c.intended_device_type_id
  ),
  enrolled AS (
    SELECT n.tenant_id, n.device_uid, n.device_id, n.claim_id, n.status, n.slug,
      ${withTopics("n")}
    FROM named n
  ),
  ${insertCertificate("device_cert_enrolled", p, enrolled, {
    publishTopics: sql.ref("s.publish_topics"),
    subscribeTopics: sql.ref("s.subscribe_topics"),
    issuedBy: sql`'claim:' || s.claim_id`,
    claimId: sql.ref("s.claim_id"),
  })}
  SELECT status = 'used' AS "usedUp", slug AS "tenantSlug", publish_topics AS "publishTopics", subscribe_topics AS "subscribeTopics",
    CASE WHEN EXISTS (SELECT 1 FROM leased) THEN true ELSE ${refuse("client_id_in_use")} END AS recorded
  FROM enrolled`,
);

interface AgainValues extends CertificateValues, EnrolledDeviceValues {
  claimId: string;
  proofCertificateId: string;
}

// The device's row is locked before its proof is read.
const reenroll = statement<AgainValues, { recorded: boolean }>(
  "redeem-again",
  (p) => sql`WITH ${countUse(p, sql`c.id = ${p.claimId}::uuid`)},
  device AS (${updateEnrolledDevice(p, claim)}),
  proof AS (${lockLiveCertificate(p, device)}),
  proved AS (SELECT s.* FROM device s, proof),
  left_groups AS (${leaveOtherGroups(device, claim)}),
  joined AS (${joinIntendedGroups(device, claim)}),
  ${leaseToDevice(p, proved)},
  ${insertCertificate("device_cert_enrolled", p, proved, givenOrigin(p))}
  SELECT CASE WHEN NOT EXISTS (SELECT 1 FROM proof) THEN ${refuse("changed")}
    WHEN NOT EXISTS (SELECT 1 FROM leased) THEN ${refuse("client_id_in_use")} ELSE true END AS recorded
  FROM claim`,
);

/**
 * Records the first redemption of a device in one statement that takes effect whole or not at all: the use of the claim, the device, its
 * groups, the lease of its client id, the certificate and the audit entry.
 *
 * @param quotaRound what `spendAllowance` takes
 */
export async function enrollDevice(
  db: Db,
  redemption: FirstRedemption,
  quotaRound: string | null,
): Promise<Enrolled | NotRecorded> {
  const { codeHmac, until, issued, auditId, now } = redemption;
  const values = { codeHmac, until, quotaRound, ...deviceValues(redemption) };
  try {
    const [row] = await runStatement(db, enroll, { ...values, ...signedValues(issued, auditId, now) });
    return row ?? "changed";
  } catch (error) {
    return outcomeOf(error);
  }
}

/** Records the redemption of a device that enrolled before, likewise; it updates the device. */
export async function reenrollDevice(db: Db, redemption: Reenrollment): Promise<"recorded" | NotRecorded> {
  const { claimId, proofCertificateId, issued, auditId, now } = redemption;
  const values = { claimId, proofCertificateId, ...deviceValues(redemption) };
  try {
    const rows = await runStatement(db, reenroll, { ...values, ...certificateValues(issued, auditId, now) });
    return rows.length === 1 ? "recorded" : "changed";
  } catch (error) {
    return outcomeOf(error);
  }
}

function deviceValues({ now, device, reported }: Redemption): EnrolledDeviceValues {
  return {
    deviceUid: device.uid,
    deviceId: device.id,
    hardwareFingerprint: reported.fingerprint,
    fingerprintKey: reported.fingerprintKey,
    hardwareModel: reported.model,
    agentVersion: reported.agentVersion,
    agentCapabilities: reported.capabilities ?? null,
    macAddress: reported.macAddress ?? null,
    now,
  };
}

/** PostgreSQL broke a deadlock, or a group of the claim was deleted in between: nothing is written, and a retry may succeed. */
const RETRIABLE = ["40P01", "40001", "23503"];

function outcomeOf(error: unknown): NotRecorded {
  const code = refusalCode(error);
  // Blocked since the facts were read: they say so when they are read again.
  if (code === "key_blocked") return "changed";
  if (code === "changed" || code === "client_id_in_use") return code;
  const unique = violatedUnique(error);
  if (unique === "devices_fingerprint") return "changed";
  if (unique === "devices_id") return "client_id_in_use";
  if (RETRIABLE.includes((error as { code?: string }).code ?? "")) return "changed";
  throw error;
}
