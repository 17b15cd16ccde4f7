import { fingerprintOf, type PeerCertificate } from "../certificates/certificates.ts";
import type { Db } from "../db/database.ts";
import { resolveTopics } from "../devices/devices.ts";
import { faultPoint } from "../lib/fault-points.ts";
import { type CsrResult, selfEnrolled } from "../pki/pki.ts";
import { answeredTopics, type Topics } from "./answered-topics.ts";
import { checkRedemption } from "./check-redemption.ts";
import { claimCodeHmac, normalizeClaimCode } from "./claims/claim-code.ts";
import { refuseGuess } from "./claims/guess-throttle.ts";
import { countOutcomes } from "./count-outcomes.ts";
import type { EnrollmentDeps } from "./deps.ts";
import { refusal } from "./errors.ts";
import { RENEWAL_ENDPOINT } from "./limits.ts";
import { readCsrOrError } from "./read-csr.ts";
import { commitRedemption, type Redemption } from "./redemption-commit-store.ts";
import { type RedemptionFacts, type RedemptionKeys, readRedemptionFacts } from "./redemption-store.ts";
import { type HardwareFields, type ReportedHardware, validateHardware } from "./reported-hardware.ts";
import { type SignedLeaf, signLeaf } from "./sign-leaf.ts";

/** Where a device's request comes from, and which certificate it presented, if any. */
export interface DevicePeer {
  address: string;
  peer?: PeerCertificate | undefined;
}

/** Spec 2.2. */
export interface RedemptionRequest extends HardwareFields {
  claimCode: string;
  /** PEM */
  csr: string;
}

/** Spec 2.3; times are ISO 8601 in UTC. */
export interface RedemptionAnswer {
  deviceId: string;
  mqtt: {
    brokerUrl: string;
    clientCert: string;
    clientCertChain: string;
    serverCaBundle: string;
    topicPrefix: string;
    publishTopics: string[];
    /** Only where the device type lists any. */
    subscribeTopics?: string[];
  };
  certExpiresAt: string;
  renewAfterUtc: string;
  renewalEndpoint: string;
}

/** The facts may change between reading them and the commit; then they are read again, this often. */
const ATTEMPTS = 3;

/**
 * Redeems a claim code for a certificate (spec 3.1, 4.9). The order of its checks is part of the interface
 * (docs/spec-decisions.md, Claims and redemption). The use of the claim is counted in the commit that records the certificate.
 *
 * @throws MusterError invalid_request, invalid_claim_code, rate_limited, claim_revoked, claim_expired, claim_exhausted,
 *   invalid_csr, reenrollment_proof_required, client_id_in_use, quota_exceeded, issuance_failed
 */
export const redeemClaim = countOutcomes(
  "redeem",
  async (deps, from: DevicePeer, request: RedemptionRequest): Promise<RedemptionAnswer> => {
    const now = deps.clock.now();
    const reported = validateHardware(request);
    const code = normalizeClaimCode(request.claimCode);
    if (code === undefined) return refuseGuess(deps, from.address, now);
    const csr = readCsrOrError(request.csr);
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const answer = await attemptRedemption(deps, { from, reported, code, csr, now });
      if (answer !== undefined) return answer;
    }
    throw refusal("issuance_failed", { message: "Too many changes at once; retry shortly." });
  },
);

interface Attempt {
  from: DevicePeer;
  reported: ReportedHardware;
  code: string;
  csr: CsrResult | Error;
  now: Date;
}

/** Two round trips: one reads the facts, one records. `undefined` when the facts changed between them. */
async function attemptRedemption(deps: EnrollmentDeps, attempt: Attempt): Promise<RedemptionAnswer | undefined> {
  const { from, reported, now } = attempt;
  const newDevice = { uid: deps.ids.uuid(now), id: deps.ids.deviceId() };
  const facts = await findFacts(deps, attempt.code, {
    fingerprintKey: reported.fingerprintKey,
    spkiSha256: attempt.csr instanceof Error ? null : attempt.csr.spkiSha256,
    newDeviceId: newDevice.id,
    peerFingerprint: from.peer ? fingerprintOf(from.peer) : null,
    now,
  });
  if (facts === undefined) return refuseGuess(deps, from.address, now);
  const { csr, proofCertificateId } = checkRedemption(facts, { csr: attempt.csr, peer: from.peer, now });

  const device = facts.device ?? newDevice;
  if (!facts.device) await deps.quotas.requireRoom(facts.tenantId, "devices");
  const signed = await signLeaf(deps, { profile: selfEnrolled, deviceId: device.id, spki: csr.spki, now });
  const topics = {
    publishTopics: resolveTopics(facts.publishTemplates, facts.tenantSlug, device.id),
    subscribeTopics: resolveTopics(facts.subscribeTemplates, facts.tenantSlug, device.id),
  };
  await faultPoint("redeem.commit");
  const redemption: Redemption = {
    claimId: facts.claimId,
    device,
    proofCertificateId,
    reported,
    issued: {
      id: deps.ids.uuid(now),
      kind: "self_enrolled",
      leaf: signed.leaf,
      spkiSha256: csr.spkiSha256,
      ...topics,
      issuedBy: `claim:${facts.claimId}`,
      claimId: facts.claimId,
    },
    auditId: deps.ids.uuid(now),
    now,
  };
  const record = (db: Db, round: string | null) => commitRedemption(db, redemption, round);
  const outcome = facts.device
    ? await record(deps.database.db, null)
    : await deps.quotas.addOne(facts.tenantId, "devices", record);
  await faultPoint("redeem.committed");
  if (outcome === "client_id_in_use") throw refusal("client_id_in_use");
  return outcome === "changed" ? undefined : answerOf(deps, facts, device.id, signed, topics);
}

/** Claims from before a rotation of the master key are stored under an HMAC of the former key. */
async function findFacts(
  deps: EnrollmentDeps,
  code: string,
  keys: Omit<RedemptionKeys, "codeHmac">,
): Promise<RedemptionFacts | undefined> {
  for (const key of deps.claimCodeKeys()) {
    const facts = await readRedemptionFacts(deps.database.db, { ...keys, codeHmac: claimCodeHmac(code, key) });
    if (facts !== undefined) return facts;
  }
  return undefined;
}

function answerOf(
  deps: EnrollmentDeps,
  { tenantSlug }: RedemptionFacts,
  deviceId: string,
  { leaf, chainPem }: SignedLeaf,
  topics: Topics,
): RedemptionAnswer {
  return {
    deviceId,
    mqtt: {
      brokerUrl: deps.brokerUrl(),
      clientCert: leaf.pem,
      clientCertChain: chainPem,
      serverCaBundle: deps.authorities.serverCaBundlePem(),
      topicPrefix: `t/${tenantSlug}`,
      ...answeredTopics(topics),
    },
    certExpiresAt: leaf.notAfter.toISOString(),
    renewAfterUtc: (leaf.renewAfter ?? leaf.notAfter).toISOString(),
    renewalEndpoint: RENEWAL_ENDPOINT,
  };
}
