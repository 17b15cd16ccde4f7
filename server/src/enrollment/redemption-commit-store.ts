import { sql } from "kysely";
import {
  type CertificateValues,
  certificateValues,
  type IssuedCertificate,
  insertCertificate,
  leaseClientId,
} from "../certificates/certificates.ts";
import type { Db } from "../db/database.ts";
import { refusalCode, refuse, violatedUnique } from "../db/refusal.ts";
import { type Parameters, runStatement, statement } from "../db/statement.ts";

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

export interface ReportedHardware {
  fingerprint: string;
  /** The fingerprint in the form in which two are compared. */
  fingerprintKey: string;
  model: string;
  agentVersion: string;
  capabilities: readonly string[] | undefined;
  macAddress: string | undefined;
}

/**
 * `changed`: the facts that the decision relied on have changed; read them and decide again. `client_id_in_use`: the id was leased
 * to another in between. With both, nothing is written and no use is taken.
 */
export type RedemptionOutcome = "recorded" | "changed" | "client_id_in_use";

/** The parameters of both statements. */
interface EnrollmentValues extends CertificateValues {
  claimId: string;
  deviceUid: string;
  deviceId: string;
  hardwareFingerprint: string;
  fingerprintKey: string;
  hardwareModel: string;
  agentVersion: string;
  agentCapabilities: readonly string[] | null;
  macAddress: string | null;
}

/** Takes a use; no row comes out when the claim may not be redeemed any more (spec 3.1 rule 1). */
const takeUse = (p: Parameters<EnrollmentValues>) => sql`claim AS (
    UPDATE claims SET used_count = used_count + 1, last_redeemed_at = ${p.now}::timestamptz,
      status = CASE WHEN used_count + 1 = max_uses THEN 'used' ELSE status END
    WHERE id = ${p.claimId}::uuid AND status = 'pending' AND used_count < max_uses
      AND expires_at > ${p.now}::timestamptz
    RETURNING id, tenant_id, intended_name, intended_device_type_id, intended_group_ids
  )`;

const joinGroups = sql`joined AS (
    INSERT INTO device_groups (device_uid, group_id)
    SELECT s.device_uid, g.id FROM device s, claim c JOIN groups g ON g.tenant_id = c.tenant_id
    WHERE g.id = ANY (c.intended_group_ids)
    ON CONFLICT DO NOTHING
  )`;

const enroll = statement<EnrollmentValues, { recorded: boolean }>(
  "redeem-first",
  (p) => sql`WITH ${takeUse(p)}, device AS (
    INSERT INTO devices (uid, tenant_id, id, name, device_type_id, hardware_fingerprint, fingerprint_key,
      hardware_model, agent_version, agent_capabilities, mac_address, created_at, updated_at)
    SELECT ${p.deviceUid}::uuid, c.tenant_id, ${p.deviceId}::text, c.intended_name, c.intended_device_type_id,
      ${p.hardwareFingerprint}::text, ${p.fingerprintKey}::text, ${p.hardwareModel}::text, ${p.agentVersion}::text,
      coalesce(${p.agentCapabilities}::text[], '{}'), ${p.macAddress}::text, ${p.now}::timestamptz,
      ${p.now}::timestamptz
    FROM claim c
    RETURNING uid AS device_uid, tenant_id, id AS device_id
  ), ${joinGroups}, ${leaseClientId(p, sql.ref("device"))},
  ${insertCertificate("device_cert_enrolled", p, sql.ref("device"))}
  SELECT CASE WHEN EXISTS (SELECT 1 FROM leased) THEN true ELSE ${refuse("client_id_in_use")} END AS recorded
  FROM claim`,
);

// The device's row is locked before the proof is read, and FOR SHARE reads the proof's present row rather than that of the
// statement's beginning: a revocation or deletion that came first is seen (docs/decisions/0007).
const reenroll = statement<EnrollmentValues & { proofCertificateId: string }, { recorded: boolean }>(
  "redeem-again",
  (p) => sql`WITH ${takeUse(p)}, device AS (
    UPDATE devices d SET device_type_id = coalesce(c.intended_device_type_id, d.device_type_id),
      hardware_fingerprint = ${p.hardwareFingerprint}::text, hardware_model = ${p.hardwareModel}::text,
      agent_version = ${p.agentVersion}::text,
      agent_capabilities = coalesce(${p.agentCapabilities}::text[], d.agent_capabilities),
      mac_address = coalesce(${p.macAddress}::text, d.mac_address), updated_at = ${p.now}::timestamptz
    FROM claim c
    WHERE d.uid = ${p.deviceUid}::uuid AND d.tenant_id = c.tenant_id AND d.id = ${p.deviceId}::text
      AND d.fingerprint_key = ${p.fingerprintKey}::text AND d.deleted_at IS NULL
    RETURNING d.uid AS device_uid, d.tenant_id, d.id AS device_id
  ), proof AS (
    SELECT p.id FROM device s JOIN certificates p ON p.device_uid = s.device_uid
    WHERE p.id = ${p.proofCertificateId}::uuid AND p.revoked_at IS NULL AND p.not_after > ${p.now}::timestamptz
    FOR SHARE OF p
  ), proved AS (SELECT s.* FROM device s, proof), left_groups AS (
    DELETE FROM device_groups g USING device s, claim c
    WHERE g.device_uid = s.device_uid AND NOT g.group_id = ANY (c.intended_group_ids)
  ), ${joinGroups}, ${leaseClientId(p, sql.ref("proved"))},
  ${insertCertificate("device_cert_enrolled", p, sql.ref("proved"))}
  SELECT CASE WHEN NOT EXISTS (SELECT 1 FROM proof) THEN ${refuse("changed")}
    WHEN NOT EXISTS (SELECT 1 FROM leased) THEN ${refuse("client_id_in_use")} ELSE true END AS recorded
  FROM claim`,
);

/**
 * Records a redemption in one statement that takes effect whole or not at all: takes the use, creates or updates the device,
 * its groups and the lease of its client id, the certificate and the audit entry.
 */
export async function commitRedemption(db: Db, redemption: Redemption): Promise<RedemptionOutcome> {
  const { proofCertificateId } = redemption;
  const values = valuesOf(redemption);
  try {
    const rows =
      proofCertificateId === undefined
        ? await runStatement(db, enroll, values)
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
  if (code === "changed" || code === "client_id_in_use") return code;
  const unique = violatedUnique(error);
  if (unique === "devices_fingerprint") return "changed";
  if (unique === "devices_id") return "client_id_in_use";
  if (RETRIABLE.includes((error as { code?: string }).code ?? "")) return "changed";
  throw error;
}
