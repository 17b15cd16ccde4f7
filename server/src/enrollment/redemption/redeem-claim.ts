import { fingerprintOf } from "../../certificates/certificates.ts";
import { resolveTopics } from "../../devices/devices.ts";
import { faultPoint } from "../../lib/fault-points.ts";
import { type CsrResult, selfEnrolled } from "../../pki/pki.ts";
import { claimCodeHmac, normalizeClaimCode } from "../claims/claim-code.ts";
import { refuseGuess } from "../claims/guess-throttle.ts";
import { countOutcomes } from "../count-outcomes.ts";
import type { EnrollmentDeps } from "../deps.ts";
import { refusal } from "../errors.ts";
import { readCsrOrError } from "../read-csr.ts";
import { validateHardware } from "../reported-hardware.ts";
import { signLeaf } from "../sign-leaf.ts";
import { checkRedemption } from "./check-redemption.ts";
import {
  type Attempt,
  answerOf,
  type DevicePeer,
  enrollNew,
  type NewDevice,
  newDevice,
  type RedemptionAnswer,
  type RedemptionRequest,
} from "./enroll-new.ts";
import { type RedemptionFacts, type RedemptionKeys, readRedemptionFacts } from "./facts-store.ts";
import { redeemAtOnce } from "./redeem-at-once.ts";
import { reenrollDevice } from "./reenrollment-store.ts";

/** The number of attempts: the facts may change between reading them and the commit, and are then read again. */
const ATTEMPTS = 3;

/**
 * Redeems a claim code for a certificate (spec 3.1, 4.9). The order of its checks is part of the interface
 * (docs/spec-decisions.md, Claims and redemption). The use of the claim is counted in the commit that records the
 * certificate.
 *
 * @throws MusterError invalid_request, invalid_claim_code, rate_limited, claim_revoked, claim_expired, claim_exhausted,
 * invalid_csr, invalid_claim_request, reenrollment_proof_required, client_id_in_use, quota_exceeded, issuance_failed
 */
export const redeemClaim = countOutcomes(
  "redeem",
  async (deps, from: DevicePeer, request: RedemptionRequest): Promise<RedemptionAnswer> => {
    const now = deps.clock.now();
    const reported = validateHardware(request);
    const code = normalizeClaimCode(request.claimCode);
    if (code === undefined) return refuseGuess(deps, from.address, now);
    const attempt: Attempt = { from, reported, code, csr: readCsrOrError(request.csr), now };
    const first = newDevice(deps, now);
    const atOnce = await redeemAtOnce(deps, attempt, first);
    if (atOnce !== undefined) return atOnce;
    for (let turn = 0; turn < ATTEMPTS; turn++) {
      const answer = await redeemByFacts(deps, attempt, turn === 0 ? first : newDevice(deps, now));
      if (answer !== undefined) return answer;
    }
    throw refusal("issuance_failed", { message: "Too many changes at once; retry shortly." });
  },
);

/**
 * Redeems in two round trips: one reads the facts, one records. Returns `undefined` when the facts changed between
 * them.
 */
async function redeemByFacts(
  deps: EnrollmentDeps,
  attempt: Attempt,
  device: NewDevice,
): Promise<RedemptionAnswer | undefined> {
  const { from, now } = attempt;
  const facts = await findFacts(deps, attempt.code, {
    fingerprintKey: attempt.reported.fingerprintKey,
    spkiSha256: attempt.csr instanceof Error ? null : attempt.csr.spkiSha256,
    newDeviceId: device.id,
    peerFingerprint: from.peer ? fingerprintOf(from.peer) : null,
    now,
  });
  if (facts === undefined) return refuseGuess(deps, from.address, now);
  const { csr, proofCertificateId } = checkRedemption(facts, { csr: attempt.csr, peer: from.peer, now });
  return facts.device === undefined
    ? await enrollFirst(deps, attempt, facts, csr, device)
    : await enrollAgain(deps, attempt, { ...facts, device: facts.device, proofCertificateId }, csr);
}

async function enrollFirst(
  deps: EnrollmentDeps,
  attempt: Attempt,
  { claimId: id, tenantId, expiresAt, codeHmac }: Facts,
  csr: CsrResult,
  device: NewDevice,
): Promise<RedemptionAnswer | undefined> {
  await deps.quotas.requireRoom(tenantId, "devices");
  const signed = await device.sign(csr.spki);
  deps.knownClaims.remember(codeHmac, { id, tenantId, expiresAt });
  const answer = await enrollNew(deps, attempt, csr, { id, tenantId, codeHmac }, device, signed);
  if (answer === "client_id_in_use") throw refusal("client_id_in_use");
  return answer === "changed" ? undefined : answer;
}

async function enrollAgain(
  deps: EnrollmentDeps,
  { reported, now }: Attempt,
  known: Facts & { device: { uid: string; id: string }; proofCertificateId: string | undefined },
  { spki, spkiSha256 }: CsrResult,
): Promise<RedemptionAnswer | undefined> {
  const { claimId, device, proofCertificateId, tenantSlug } = known;
  const signed = await signLeaf(deps, { profile: selfEnrolled, deviceId: device.id, spki, now });
  const topics = {
    publishTopics: resolveTopics(known.publishTemplates, tenantSlug, device.id),
    subscribeTopics: resolveTopics(known.subscribeTemplates, tenantSlug, device.id),
  };
  const issued = {
    id: deps.ids.uuid(now),
    kind: "self_enrolled" as const,
    leaf: signed.leaf,
    spkiSha256,
    ...topics,
    issuedBy: `claim:${claimId}`,
    claimId,
  };
  await faultPoint("redeem.commit");
  const auditId = deps.ids.uuid(now);
  const redemption = { claimId, device, proofCertificateId, reported, issued, auditId, now };
  const outcome = await reenrollDevice(deps.database.db, redemption);
  await faultPoint("redeem.committed");
  if (outcome === "client_id_in_use") throw refusal("client_id_in_use");
  return outcome === "changed" ? undefined : answerOf(deps, device.id, signed, { tenantSlug, ...topics });
}

/** The facts that decide a redemption, with the HMAC under which the claim is stored. */
type Facts = RedemptionFacts & { codeHmac: Buffer };

/**
 * Finds the facts under any key: claims from before a master key rotation are stored under an HMAC of the former key.
 */
async function findFacts(
  deps: EnrollmentDeps,
  code: string,
  keys: Omit<RedemptionKeys, "codeHmac">,
): Promise<Facts | undefined> {
  for (const key of deps.claimCodeKeys()) {
    const codeHmac = claimCodeHmac(code, key);
    const facts = await readRedemptionFacts(deps.database.db, { ...keys, codeHmac });
    if (facts !== undefined) return { ...facts, codeHmac };
  }
  return undefined;
}
