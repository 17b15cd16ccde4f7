import { sql } from "kysely";
import {
  type CertificateValues,
  certificateValues,
  givenOrigin,
  type IssuedCertificate,
  insertCertificate,
  lockLiveCertificate,
} from "../../certificates/certificates.ts";
import { leaseToDevice } from "../../connections/connections.ts";
import type { Db } from "../../db/database.ts";
import { refuse } from "../../db/refusal.ts";
import { runStatement, statement } from "../../db/statement.ts";
import {
  type EnrolledDeviceValues,
  joinIntendedGroups,
  leaveOtherGroups,
  updateEnrolledDevice,
} from "../../devices/devices.ts";
import { deviceValues, type NotRecorded, outcomeOf, type Redemption } from "./outcome.ts";

/** The redemption of a device that enrolled before. */
export interface Reenrollment extends Redemption {
  claimId: string;
  /** The certificate that proves the device's identity; none with a claim bound to the device. */
  proofCertificateId: string | undefined;
  issued: IssuedCertificate;
}

interface AgainValues extends CertificateValues, EnrolledDeviceValues {
  claimId: string;
  proofCertificateId: string | null;
}

const [claim, device, proved] = [sql.ref("claim"), sql.ref("device"), sql.ref("proved")];

// There is a row only if the claim is still redeemable (spec 3.1 rule 1). The device's row is locked before its proof
// is read.
const reenroll = statement<AgainValues, { recorded: boolean }>(
  "redeem-again",
  (p) => sql`WITH claim AS (
    UPDATE claims c SET used_count = used_count + 1, last_redeemed_at = ${p.now}::timestamptz,
      status = CASE WHEN used_count + 1 = max_uses THEN 'used' ELSE status END
    WHERE status = 'pending' AND used_count < max_uses AND expires_at > ${p.now}::timestamptz AND c.id = ${p.claimId}::uuid
      AND (device_uid IS NULL OR device_uid = ${p.deviceUid}::uuid)
    RETURNING id, device_uid AS bound_to, tenant_id, status, intended_device_type_id, intended_group_ids
  ),
  device AS (${updateEnrolledDevice(p, claim)}),
  proof AS (${lockLiveCertificate(p, device)}),
  proved AS (SELECT s.* FROM device s, claim c WHERE c.bound_to IS NOT NULL OR EXISTS (SELECT 1 FROM proof)),
  left_groups AS (${leaveOtherGroups(device, claim)}),
  joined AS (${joinIntendedGroups(sql`(SELECT d.device_uid, c.tenant_id, c.intended_group_ids FROM device d, claim c)`)}),
  ${leaseToDevice(p, proved)},
  ${insertCertificate("device_cert_enrolled", p, proved, givenOrigin(p))}
  SELECT CASE WHEN NOT EXISTS (SELECT 1 FROM proved) THEN ${refuse("changed")}
    WHEN NOT EXISTS (SELECT 1 FROM leased) THEN ${refuse("client_id_in_use")} ELSE true END AS recorded
  FROM claim`,
);

/**
 * Records the redemption of a device that enrolled before in one atomic statement: the use of the claim, the device,
 * its groups, the lease of its client id, the certificate and the audit entry.
 */
export async function reenrollDevice(db: Db, redemption: Reenrollment): Promise<"recorded" | NotRecorded> {
  const { claimId, proofCertificateId, issued, auditId, now } = redemption;
  const values = { claimId, proofCertificateId: proofCertificateId ?? null, ...deviceValues(redemption) };
  try {
    const rows = await runStatement(db, reenroll, { ...values, ...certificateValues(issued, auditId, now) });
    return rows.length === 1 ? "recorded" : "changed";
  } catch (error) {
    return outcomeOf(error);
  }
}
