import type { Standing } from "../certificates/certificates.ts";
import { clientIdTaken } from "../certificates/certificates.ts";
import { type Db, runPrepared } from "../db/database.ts";

/** What a redemption is judged by, all of one moment. */
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
  /** Whether somebody else holds the client id that the certificate would be for. */
  clientIdTaken: boolean;
  publishTemplates: string[];
  subscribeTemplates: string[];
  /** The certificate the peer presented, as recorded. */
  proof: (Standing & { certificateId: string; deviceUid: string }) | undefined;
}

export interface RedemptionQuestion {
  codeHmac: Buffer;
  fingerprintKey: string;
  spkiSha256: Buffer | undefined;
  /** The id the device gets if it is new. */
  freshDeviceId: string;
  /** SHA-256 of the presented certificate, if there is one. */
  peerFingerprint: string | undefined;
  now: Date;
}

const FACTS = `
  SELECT c.id AS claim_id, c.tenant_id, c.status, c.expires_at, t.slug,
    d.uid AS device_uid, d.id AS device_id, y.publish_topics, y.subscribe_topics,
    EXISTS (SELECT 1 FROM blocked_keys b WHERE b.spki_sha256 = $3::bytea) AS key_blocked,
    ${clientIdTaken("coalesce(d.id, $4::text)", "c.tenant_id", "$6")} AS client_id_taken,
    p.id AS proof_id, p.device_uid AS proof_device_uid, p.not_after, p.revoked_at, pd.deleted_at
  FROM claims c
  JOIN tenants t ON t.id = c.tenant_id
  LEFT JOIN devices d ON d.tenant_id = c.tenant_id AND d.fingerprint_key = $2::text AND d.deleted_at IS NULL
  LEFT JOIN device_types y ON y.id = coalesce(c.intended_device_type_id, d.device_type_id)
  LEFT JOIN certificates p ON p.fingerprint_sha256 = $5::text
  LEFT JOIN devices pd ON pd.uid = p.device_uid
  WHERE c.code_hmac = $1::bytea`;

interface FactsRow {
  claim_id: string;
  tenant_id: string;
  slug: string;
  status: RedemptionFacts["status"];
  expires_at: Date;
  device_uid: string | null;
  device_id: string;
  publish_topics: string[] | null;
  subscribe_topics: string[] | null;
  key_blocked: boolean;
  client_id_taken: boolean;
  proof_id: string | null;
  proof_device_uid: string;
  not_after: Date;
  revoked_at: Date | null;
  deleted_at: Date | null;
}

/** Everything the judgement needs in one round trip; `undefined` when no claim has this code. */
export async function redemptionFacts(db: Db, question: RedemptionQuestion): Promise<RedemptionFacts | undefined> {
  const { codeHmac, fingerprintKey, spkiSha256 = null, freshDeviceId, peerFingerprint = null, now } = question;
  const parameters = [codeHmac, fingerprintKey, spkiSha256, freshDeviceId, peerFingerprint, now];
  const [row] = await runPrepared<FactsRow>(db, "redemption-facts", FACTS, parameters);
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
    clientIdTaken: row.client_id_taken,
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
