import { sql } from "kysely";
import { spendAllowance } from "../access/access.ts";
import {
  type CertificateValues,
  certificateValues,
  type IssuedCertificate,
  insertCertificate,
  lockLiveCertificate,
} from "../certificates/certificates.ts";
import { leaseToDevice } from "../connections/connections.ts";
import type { Db } from "../db/database.ts";
import { refusalCode, refuse, violatedUnique } from "../db/refusal.ts";
import { type Parameters, runStatement, statement } from "../db/statement.ts";
import {
  type EnrolledDeviceValues,
  insertEnrolledDevice,
  joinIntendedGroups,
  leaveOtherGroups,
  updateEnrolledDevice,
} from "../devices/devices.ts";
import type { ReportedHardware } from "./reported-hardware.ts";

/** A redemption ready to be recorded. */
export interface Redemption {
  claimId: string;
  device: { uid: string; id: string };
  /** The certificate that proved a re-enrollment; `undefined` enrolls a new device. */
  proofCertificateId: string | undefined;
  reported: ReportedHardware;
  issued: IssuedCertificate;
  auditId: string;
  now: Date;
}

/**
 * `changed`: the facts have changed since they were read; read them again and decide again. `client_id_in_use`: the client id was
 * leased to another since then. In both cases nothing is written, and no use of the claim is counted.
 */
export type RedemptionOutcome = "recorded" | "changed" | "client_id_in_use";

/** The parameters of both statements. */
interface EnrollmentValues extends CertificateValues, EnrolledDeviceValues {
  claimId: string;
}

/** Counts a use of the claim; returns no row when the claim may no longer be redeemed (spec 3.1 rule 1). */
const countUse = (p: Parameters<EnrollmentValues>, permitted = sql`true`) => sql`claim AS (
    UPDATE claims SET used_count = used_count + 1, last_redeemed_at = ${p.now}::timestamptz,
      status = CASE WHEN used_count + 1 = max_uses THEN 'used' ELSE status END
    WHERE id = ${p.claimId}::uuid AND status = 'pending' AND used_count < max_uses
      AND expires_at > ${p.now}::timestamptz AND ${permitted}
    RETURNING id, tenant_id, intended_name, intended_device_type_id, intended_group_ids
  )`;

const claim = sql.ref("claim");
const device = sql.ref("device");
const proved = sql.ref("proved");

// The quota's lock comes before that of the claim, as in a transaction that counts.
const enroll = statement<EnrollmentValues & { quotaRound: string | null }, { recorded: boolean }>(
  "redeem-first",
  (p) => sql`WITH ${countUse(p, spendAllowance(sql.ref("tenant_id"), "devices", p.quotaRound))},
  device AS (${insertEnrolledDevice(p, claim)}),
  joined AS (${joinIntendedGroups(device, claim)}),
  ${leaseToDevice(p, device)},
  ${insertCertificate("device_cert_enrolled", p, device)}
  SELECT CASE WHEN EXISTS (SELECT 1 FROM leased) THEN true ELSE ${refuse("client_id_in_use")} END AS recorded
  FROM claim`,
);

// The device's row is locked before its proof is read.
const reenroll = statement<EnrollmentValues & { proofCertificateId: string }, { recorded: boolean }>(
  "redeem-again",
  (p) => sql`WITH ${countUse(p)},
  device AS (${updateEnrolledDevice(p, claim)}),
  proof AS (${lockLiveCertificate(p, device)}),
  proved AS (SELECT s.* FROM device s, proof),
  left_groups AS (${leaveOtherGroups(device, claim)}),
  joined AS (${joinIntendedGroups(device, claim)}),
  ${leaseToDevice(p, proved)},
  ${insertCertificate("device_cert_enrolled", p, proved)}
  SELECT CASE WHEN NOT EXISTS (SELECT 1 FROM proof) THEN ${refuse("changed")}
    WHEN NOT EXISTS (SELECT 1 FROM leased) THEN ${refuse("client_id_in_use")} ELSE true END AS recorded
  FROM claim`,
);

/**
 * Records a redemption in one statement that takes effect whole or not at all: the use of the claim, the new or updated device,
 * its groups, the lease of its client id, the certificate and the audit entry.
 *
 * @param quotaRound what `spendAllowance` takes for a new device
 */
export async function commitRedemption(
  db: Db,
  redemption: Redemption,
  quotaRound: string | null,
): Promise<RedemptionOutcome> {
  const { proofCertificateId } = redemption;
  const values = valuesOf(redemption);
  try {
    const rows =
      proofCertificateId === undefined
        ? await runStatement(db, enroll, { ...values, quotaRound })
        : await runStatement(db, reenroll, { ...values, proofCertificateId });
    return rows.length === 1 ? "recorded" : "changed";
  } catch (error) {
    return outcomeOf(error);
  }
}

function valuesOf({ claimId, now, device, reported, issued, auditId }: Redemption): EnrollmentValues {
  return {
    claimId,
    deviceUid: device.uid,
    deviceId: device.id,
    hardwareFingerprint: reported.fingerprint,
    fingerprintKey: reported.fingerprintKey,
    hardwareModel: reported.model,
    agentVersion: reported.agentVersion,
    agentCapabilities: reported.capabilities ?? null,
    macAddress: reported.macAddress ?? null,
    ...certificateValues(issued, auditId, now),
  };
}

/** PostgreSQL broke a deadlock, or a group of the claim was deleted in between: nothing is written, and a retry may succeed. */
const RETRIABLE = ["40P01", "40001", "23503"];

function outcomeOf(error: unknown): RedemptionOutcome {
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
