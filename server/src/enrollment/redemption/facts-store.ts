import { sql } from "kysely";
import { type CertificateValidity, isKeyBlocked } from "../../certificates/certificates.ts";
import { isClientIdInUse } from "../../connections/connections.ts";
import type { Db } from "../../db/database.ts";
import { runStatement, statement } from "../../db/statement.ts";

/** The facts that decide a redemption, read in one snapshot. */
export interface RedemptionFacts {
  claimId: string;
  tenantId: string;
  tenantSlug: string;
  status: "pending" | "used" | "revoked";
  expiresAt: Date;
  /** Whether the CSR's key was blocked after a compromise. */
  keyBlocked: boolean;
  /** The device that enrolled with this fingerprint before (spec 3.1 rule 4). */
  device: { uid: string; id: string } | undefined;
  /** The device to which the claim is bound, which needs no proof; any other may not redeem it. */
  boundTo: string | undefined;
  /** Whether an MQTT client or another tenant's device has the client id that the certificate would be for. */
  clientIdInUse: boolean;
  publishTemplates: string[];
  subscribeTemplates: string[];
  /** The certificate that the peer presented, as recorded. */
  proof: (CertificateValidity & { certificateId: string; deviceUid: string }) | undefined;
}

export interface RedemptionKeys {
  codeHmac: Buffer;
  fingerprintKey: string;
  /** `null` when the CSR is invalid. */
  spkiSha256: Buffer | null;
  /** The id of the device if it is new. */
  newDeviceId: string;
  /** SHA-256 of the presented certificate; `null` without one. */
  peerFingerprint: string | null;
  now: Date;
}

interface FactsRow {
  claim_id: string;
  tenant_id: string;
  slug: string;
  status: RedemptionFacts["status"];
  expires_at: Date;
  device_uid: string | null;
  bound_to: string | null;
  device_id: string;
  publish_topics: string[] | null;
  subscribe_topics: string[] | null;
  key_blocked: boolean;
  client_id_in_use: boolean;
  proof_id: string | null;
  proof_device_uid: string;
  not_after: Date;
  revoked_at: Date | null;
  deleted_at: Date | null;
}

const factsByCode = statement<RedemptionKeys, FactsRow>(
  "redemption-facts",
  (p) => sql`
  SELECT c.id AS claim_id, c.tenant_id, c.status, c.expires_at, c.device_uid AS bound_to, t.slug,
    d.uid AS device_uid, d.id AS device_id, y.publish_topics, y.subscribe_topics,
    ${isKeyBlocked(p.spkiSha256)} AS key_blocked,
    ${isClientIdInUse(sql`coalesce(d.id, ${p.newDeviceId}::text)`, sql.ref("c.tenant_id"), p.now)} AS client_id_in_use,
    p.id AS proof_id, p.device_uid AS proof_device_uid, p.not_after, p.revoked_at, pd.deleted_at
  FROM claims c
  JOIN shared_tenants t ON t.id = c.tenant_id
  LEFT JOIN shared_devices d ON d.tenant_id = c.tenant_id AND d.fingerprint_key = ${p.fingerprintKey}::text
    AND d.deleted_at IS NULL
  LEFT JOIN shared_device_types y ON y.id = coalesce(c.intended_device_type_id, d.device_type_id)
  LEFT JOIN shared_certificates p ON p.fingerprint_sha256 = ${p.peerFingerprint}::text
  LEFT JOIN shared_devices pd ON pd.uid = p.device_uid
  WHERE c.code_hmac = ${p.codeHmac}::bytea`,
);

/** Reads all facts that decide a redemption in one round trip; returns `undefined` when no claim has this code. */
export async function readRedemptionFacts(db: Db, keys: RedemptionKeys): Promise<RedemptionFacts | undefined> {
  const [row] = await runStatement(db, factsByCode, keys);
  return row && toFacts(row);
}

function toFacts(row: FactsRow): RedemptionFacts {
  return {
    claimId: row.claim_id,
    tenantId: row.tenant_id,
    tenantSlug: row.slug,
    status: row.status,
    expiresAt: row.expires_at,
    keyBlocked: row.key_blocked,
    device: row.device_uid === null ? undefined : { uid: row.device_uid, id: row.device_id },
    boundTo: row.bound_to ?? undefined,
    clientIdInUse: row.client_id_in_use,
    publishTemplates: row.publish_topics ?? [],
    subscribeTemplates: row.subscribe_topics ?? [],
    proof: row.proof_id === null ? undefined : toProof(row, row.proof_id),
  };
}

function toProof(row: FactsRow, certificateId: string): RedemptionFacts["proof"] {
  return {
    certificateId,
    deviceUid: row.proof_device_uid,
    notAfter: row.not_after,
    revokedAt: row.revoked_at,
    deviceDeletedAt: row.deleted_at,
  };
}
