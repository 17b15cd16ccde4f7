import {
  CERTIFICATE_PARAMETERS,
  certificateParameters,
  holdClientId,
  type IssuedCertificate,
  insertCertificate,
} from "../certificates/certificates.ts";
import { type Db, runPrepared } from "../db/database.ts";
import { refusalCode, violatedUnique } from "../db/refusal.ts";

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
  /** The fingerprint as it is compared. */
  fingerprintKey: string;
  model: string;
  agentVersion: string;
  capabilities: readonly string[] | undefined;
  macAddress: string | undefined;
}

/**
 * `changed`: something the judgement relied on is no longer so; judge again. `client_id_in_use`: somebody else took the
 * id meanwhile. In both nothing was written and no use was taken.
 */
export type RedemptionOutcome = "recorded" | "changed" | "client_id_in_use";

/** $1 claim, $2 now, $3 device uid, $4 device id, $5-$10 what the device reported, then the certificate's. */
const HEAD = 10;
const CERTIFICATE = HEAD + 1;
const PROOF = `$${HEAD + CERTIFICATE_PARAMETERS + 1}::uuid`;
/** `not_after` is the twelfth of the certificate's parameters. */
const NOT_AFTER = `$${CERTIFICATE + 11}`;

/** Takes a use, or nothing at all: no row comes out when the claim may not be redeemed any more (spec 3.1 rule 1). */
const TAKE_USE = `claim AS (
    UPDATE claims SET used_count = used_count + 1, last_redeemed_at = $2::timestamptz,
      status = CASE WHEN used_count + 1 = max_uses THEN 'used' ELSE status END
    WHERE id = $1::uuid AND status = 'pending' AND used_count < max_uses AND expires_at > $2::timestamptz
    RETURNING id, tenant_id, intended_name, intended_device_type_id, intended_group_ids
  )`;

const JOIN_GROUPS = `joined AS (
    INSERT INTO device_groups (device_uid, group_id)
    SELECT s.device_uid, g.id FROM device s, claim c JOIN groups g ON g.tenant_id = c.tenant_id
    WHERE g.id = ANY (c.intended_group_ids)
    ON CONFLICT DO NOTHING
  )`;

const FIRST = `WITH ${TAKE_USE}, device AS (
    INSERT INTO devices (uid, tenant_id, id, name, device_type_id, hardware_fingerprint, fingerprint_key,
      hardware_model, agent_version, agent_capabilities, mac_address, created_at, updated_at)
    SELECT $3::uuid, c.tenant_id, $4::text, c.intended_name, c.intended_device_type_id, $5::text, $6::text, $7::text,
      $8::text, coalesce($9::text[], '{}'), $10::text, $2::timestamptz, $2::timestamptz
    FROM claim c
    RETURNING uid AS device_uid, tenant_id, id AS device_id
  ), ${JOIN_GROUPS}, ${holdClientId("device", NOT_AFTER, "$2")},
  ${insertCertificate("device_cert_enrolled", CERTIFICATE, "device")}
  SELECT CASE WHEN EXISTS (SELECT 1 FROM held) THEN true ELSE muster_refuse('client_id_in_use') END AS recorded
  FROM claim`;

// The device's row is locked before the proof is looked at, and FOR SHARE looks at the proof as it is now, not as it was
// when the statement began: a revocation or deletion that came first is seen (docs/decisions/0007).
const AGAIN = `WITH ${TAKE_USE}, device AS (
    UPDATE devices d SET device_type_id = coalesce(c.intended_device_type_id, d.device_type_id),
      hardware_fingerprint = $5::text, hardware_model = $7::text, agent_version = $8::text,
      agent_capabilities = coalesce($9::text[], d.agent_capabilities), mac_address = coalesce($10::text, d.mac_address),
      updated_at = $2::timestamptz
    FROM claim c
    WHERE d.uid = $3::uuid AND d.tenant_id = c.tenant_id AND d.id = $4::text AND d.fingerprint_key = $6::text
      AND d.deleted_at IS NULL
    RETURNING d.uid AS device_uid, d.tenant_id, d.id AS device_id
  ), proof AS (
    SELECT p.id FROM device s JOIN certificates p ON p.device_uid = s.device_uid
    WHERE p.id = ${PROOF} AND p.revoked_at IS NULL AND p.not_after > $2::timestamptz
    FOR SHARE OF p
  ), proved AS (SELECT s.* FROM device s, proof), left_groups AS (
    DELETE FROM device_groups g USING device s, claim c
    WHERE g.device_uid = s.device_uid AND NOT g.group_id = ANY (c.intended_group_ids)
  ), ${JOIN_GROUPS}, ${holdClientId("proved", NOT_AFTER, "$2")},
  ${insertCertificate("device_cert_enrolled", CERTIFICATE, "proved")}
  SELECT CASE WHEN NOT EXISTS (SELECT 1 FROM proof) THEN muster_refuse('changed')
    WHEN NOT EXISTS (SELECT 1 FROM held) THEN muster_refuse('client_id_in_use') ELSE true END AS recorded
  FROM claim`;

/**
 * Records a redemption in one statement that happens whole or not at all: takes the use, creates or updates the device,
 * its groups and its hold on the client id, the certificate and the audit entry.
 */
export async function commitRedemption(db: Db, redemption: Redemption): Promise<RedemptionOutcome> {
  try {
    const again = redemption.proofCertificateId !== undefined;
    const rows = await (again
      ? runPrepared(db, "redeem-again", AGAIN, parameters(redemption))
      : runPrepared(db, "redeem-first", FIRST, parameters(redemption)));
    return rows.length === 1 ? "recorded" : "changed";
  } catch (error) {
    return outcomeOf(error);
  }
}

function parameters(redemption: Redemption): unknown[] {
  const { claimId, now, device, reported, proofCertificateId } = redemption;
  const all = [
    claimId,
    now,
    device.uid,
    device.id,
    reported.fingerprint,
    reported.fingerprintKey,
    reported.model,
    reported.agentVersion,
    reported.capabilities ?? null,
    reported.macAddress ?? null,
    ...certificateParameters(redemption.issued, redemption.auditId, now),
  ];
  return proofCertificateId === undefined ? all : [...all, proofCertificateId];
}

/** A deadlock was broken, or a group of the claim was deleted at this very moment: nothing happened, judge again. */
const PASSING = ["40P01", "40001", "23503"];

function outcomeOf(error: unknown): RedemptionOutcome {
  const code = refusalCode(error);
  if (code === "changed" || code === "client_id_in_use") return code;
  const unique = violatedUnique(error);
  if (unique === "devices_fingerprint") return "changed";
  if (unique === "devices_id") return "client_id_in_use";
  if (PASSING.includes((error as { code?: string }).code ?? "")) return "changed";
  throw error;
}
