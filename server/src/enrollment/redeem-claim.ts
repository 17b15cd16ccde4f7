import { findIdentityProblem, fingerprintOf, type PeerCertificate } from "../certificates/certificates.ts";
import { resolveTopics } from "../devices/devices.ts";
import { faultPoint } from "../lib/fault-points.ts";
import { plainLine } from "../lib/text.ts";
import { type CsrResult, selfEnrolled } from "../pki/pki.ts";
import { claimCodeHmac, normalizeClaimCode } from "./claims/claim-code.ts";
import { refuseGuess } from "./claims/guess-throttle.ts";
import { csrOrRefusal } from "./csr-or-refusal.ts";
import type { Enrolling } from "./deps.ts";
import { refusal } from "./errors.ts";
import { RENEWAL_ENDPOINT, REPORTED_LENGTH } from "./limits.ts";
import { commitRedemption, type ReportedHardware } from "./redemption-commit-store.ts";
import { type RedemptionFacts, redemptionFacts } from "./redemption-store.ts";
import { type SignedLeaf, signLeaf } from "./sign-leaf.ts";

/** The device's side of a connection: where it comes from and which certificate it presented, if any. */
export interface DevicePeer {
  address: string;
  peer?: PeerCertificate | undefined;
}

/** Spec 2.2. */
export interface RedemptionRequest {
  claimCode: string;
  hardwareFingerprint: string;
  hardwareModel: string;
  agentVersion: string;
  /** PEM */
  csr: string;
  agentCapabilities?: readonly string[] | undefined;
  reportedMacAddress?: string | undefined;
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
  };
  certExpiresAt: string;
  renewAfterUtc: string;
  renewalEndpoint: string;
}

/** What the judgement relied on may change before the commit; each time it is judged afresh, but not for ever. */
const ATTEMPTS = 3;

/**
 * Redeems a claim code for a certificate (spec 3.1, 4.9). The order of its checks is part of the interface
 * (docs/spec-decisions.md, Claims and redemption). A use is taken only together with everything else.
 *
 * @throws MusterError invalid_request, invalid_claim_code, rate_limited, claim_revoked, claim_expired, claim_exhausted,
 *   invalid_csr, reenrollment_proof_required, client_id_in_use, issuance_failed
 */
export async function redeemClaim(
  deps: Enrolling,
  from: DevicePeer,
  request: RedemptionRequest,
): Promise<RedemptionAnswer> {
  const now = deps.clock.now();
  const reported = reportedHardware(request);
  const code = normalizeClaimCode(request.claimCode);
  if (code === undefined) return refuseGuess(deps, from.address, now);
  const codeHmac = claimCodeHmac(code, deps.claimCodeKey);
  const csr = csrOrRefusal(request.csr);
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const answer = await attemptRedemption(deps, { from, reported, codeHmac, csr, now });
    if (answer !== undefined) return answer;
  }
  throw refusal("issuance_failed", { message: "Too many changes at once; retry shortly." });
}

interface Attempt {
  from: DevicePeer;
  reported: ReportedHardware;
  codeHmac: Buffer;
  csr: CsrResult | Error;
  now: Date;
}

/** Two round trips: one that judges, one that records. `undefined` when the world changed between them. */
async function attemptRedemption(deps: Enrolling, attempt: Attempt): Promise<RedemptionAnswer | undefined> {
  const { from, reported, codeHmac, now } = attempt;
  const fresh = { uid: deps.ids.uuid(now), id: deps.ids.deviceId() };
  const facts = await redemptionFacts(deps.database.db, {
    codeHmac,
    fingerprintKey: reported.fingerprintKey,
    spkiSha256: attempt.csr instanceof Error ? null : attempt.csr.spkiSha256,
    newDeviceId: fresh.id,
    peerFingerprint: from.peer ? fingerprintOf(from.peer) : null,
    now,
  });
  if (facts === undefined) return refuseGuess(deps, from.address, now);
  const { csr, proofCertificateId } = judge(facts, attempt);

  const device = facts.device ?? fresh;
  const signed = await signLeaf(deps, { profile: selfEnrolled, deviceId: device.id, spki: csr.spki, now });
  const publishTopics = resolveTopics(facts.publishTemplates, facts.tenantSlug, device.id);
  await faultPoint("redeem.commit");
  const outcome = await commitRedemption(deps.database.db, {
    claimId: facts.claimId,
    device,
    proofCertificateId,
    reported,
    issued: {
      id: deps.ids.uuid(now),
      kind: "self_enrolled",
      leaf: signed.leaf,
      spkiSha256: csr.spkiSha256,
      publishTopics,
      subscribeTopics: resolveTopics(facts.subscribeTemplates, facts.tenantSlug, device.id),
      issuedBy: `claim:${facts.claimId}`,
      claimId: facts.claimId,
    },
    auditId: deps.ids.uuid(now),
    now,
  });
  await faultPoint("redeem.committed");
  if (outcome === "client_id_in_use") throw refusal("client_id_in_use");
  return outcome === "changed" ? undefined : answerOf(deps, facts, device.id, signed, publishTopics);
}

/** Steps 4 to 9 of the order; throws the first that fails. */
function judge(
  facts: RedemptionFacts,
  { csr, from, now }: Attempt,
): { csr: CsrResult; proofCertificateId: string | undefined } {
  if (facts.status === "revoked") throw refusal("claim_revoked");
  if (facts.expiresAt <= now) throw refusal("claim_expired");
  if (facts.status === "used") throw refusal("claim_exhausted");
  if (csr instanceof Error) throw csr;
  if (facts.keyBlocked) throw refusal("invalid_csr", { message: "This key was blocked; make a new one." });
  if (facts.device !== undefined && !provesDevice(facts, facts.device.uid, from.peer, now)) {
    throw refusal("reenrollment_proof_required");
  }
  if (facts.clientIdInUse) throw refusal("client_id_in_use");
  return { csr, proofCertificateId: facts.device && facts.proof?.certificateId };
}

/** Whether the peer holds a valid certificate of that very device. */
function provesDevice(
  { proof }: RedemptionFacts,
  deviceUid: string,
  peer: PeerCertificate | undefined,
  now: Date,
): boolean {
  return findIdentityProblem(peer, proof, now) === undefined && proof?.deviceUid === deviceUid;
}

function answerOf(
  deps: Enrolling,
  { tenantSlug }: RedemptionFacts,
  deviceId: string,
  { leaf, chainPem }: SignedLeaf,
  publishTopics: string[],
): RedemptionAnswer {
  return {
    deviceId,
    mqtt: {
      brokerUrl: deps.brokerUrl(),
      clientCert: leaf.pem,
      clientCertChain: chainPem,
      serverCaBundle: deps.authorities.serverCaBundlePem(),
      topicPrefix: `t/${tenantSlug}`,
      publishTopics,
    },
    certExpiresAt: leaf.notAfter.toISOString(),
    renewAfterUtc: (leaf.renewAfter ?? leaf.notAfter).toISOString(),
    renewalEndpoint: RENEWAL_ENDPOINT,
  };
}

function reportedHardware(request: RedemptionRequest): ReportedHardware {
  const fingerprint = plainLine("hardwareFingerprint", request.hardwareFingerprint, REPORTED_LENGTH);
  const { agentCapabilities, reportedMacAddress } = request;
  return {
    fingerprint,
    fingerprintKey: fingerprint.toLowerCase(),
    model: plainLine("hardwareModel", request.hardwareModel, REPORTED_LENGTH),
    agentVersion: plainLine("agentVersion", request.agentVersion, REPORTED_LENGTH),
    capabilities: agentCapabilities?.map((capability) => plainLine("agentCapabilities", capability, REPORTED_LENGTH)),
    macAddress:
      reportedMacAddress === undefined
        ? undefined
        : plainLine("reportedMacAddress", reportedMacAddress, REPORTED_LENGTH),
  };
}
