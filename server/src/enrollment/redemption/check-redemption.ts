import { findIdentityProblem, type PeerCertificate } from "../../certificates/certificates.ts";
import type { CsrResult } from "../../pki/pki.ts";
import { claimOfOtherDevice, keyBlocked, refusal } from "../errors.ts";
import type { RedemptionFacts } from "./facts-store.ts";

/** The inputs of a redemption besides the facts. */
interface Presented {
  csr: CsrResult | Error;
  peer: PeerCertificate | undefined;
  now: Date;
}

/**
 * Runs steps 4 to 9 of the order of checks (docs/spec-decisions.md, Claims and redemption).
 *
 * @returns the CSR and, for a device that enrolled before, the certificate that proves its identity. A claim bound to
 * the device needs no certificate
 * @throws MusterError claim_revoked, claim_expired, claim_exhausted, invalid_csr, invalid_claim_request,
 * reenrollment_proof_required, client_id_in_use
 */
export function checkRedemption(
  facts: RedemptionFacts,
  { csr, peer, now }: Presented,
): { csr: CsrResult; proofCertificateId: string | undefined } {
  if (facts.status === "revoked") throw refusal("claim_revoked");
  if (facts.expiresAt <= now) throw refusal("claim_expired");
  if (facts.status === "used") throw refusal("claim_exhausted");
  if (csr instanceof Error) throw csr;
  if (facts.keyBlocked) throw keyBlocked();
  const isBound = facts.boundTo !== undefined;
  if (isBound && facts.boundTo !== facts.device?.uid) throw claimOfOtherDevice();
  if (!isBound && facts.device !== undefined && !provesDevice(facts, facts.device.uid, peer, now)) {
    throw refusal("reenrollment_proof_required");
  }
  if (facts.clientIdInUse) throw refusal("client_id_in_use");
  return { csr, proofCertificateId: isBound ? undefined : facts.device && facts.proof?.certificateId };
}

/** Returns whether the peer presented a valid certificate of this very device. */
function provesDevice(
  { proof }: RedemptionFacts,
  deviceUid: string,
  peer: PeerCertificate | undefined,
  now: Date,
): boolean {
  return findIdentityProblem(peer, proof, now) === undefined && proof?.deviceUid === deviceUid;
}
