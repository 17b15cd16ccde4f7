/**
 * The registration authority: who gets a certificate, who keeps it, who loses it (spec 2.1-2.6, 3, 4.3-4.10). Nothing is
 * remembered here: every decision is the database's, so several processes on one database decide as one.
 */
import { createSecretKey } from "node:crypto";
import { type Bound, bind } from "../access/access.ts";
import { deriveKey } from "../pki/pki.ts";
import { createClaim } from "./claims/create-claim.ts";
import { pruneGuesses } from "./claims/guess-throttle.ts";
import { getClaim, listClaims, revokeClaim } from "./claims/manage-claims.ts";
import { counted } from "./counted.ts";
import { deleteDevice } from "./delete-device.ts";
import type { Enrolling, EnrollmentDeps } from "./deps.ts";
import { issueBundle } from "./issue-bundle.ts";
import { type DevicePeer, type RedemptionAnswer, type RedemptionRequest, redeemClaim } from "./redeem-claim.ts";
import { type RenewalAnswer, renewCertificate } from "./renew-certificate.ts";
import { revokeCertificate } from "./revoke-certificate.ts";

export type { ClaimRecord } from "./claims/claim-record.ts";
export { revokeAllClaims } from "./claims/claim-store.ts";
export type { NewClaim } from "./claims/create-claim.ts";
export type { ClaimQuery } from "./claims/manage-claims.ts";
export type { EnrollmentDeps } from "./deps.ts";
export type { EnrollmentErrorCode } from "./errors.ts";
export type { Bundle, BundleRequest } from "./issue-bundle.ts";
export { CLAIM_MINUTES, CLAIM_USES, MAX_ACTIVE_PLATFORM_CERTS_PER_DEVICE, RENEWAL_ENDPOINT } from "./limits.ts";
export type { DevicePeer, RedemptionAnswer, RedemptionRequest } from "./redeem-claim.ts";
export type { RenewalAnswer } from "./renew-certificate.ts";

/** What callers and devices ask for; what each throws stands at its own file. */
export const enrollmentUseCases = {
  createClaim,
  listClaims,
  getClaim,
  revokeClaim,
  redeemClaim: redeem,
  renewCertificate: renew,
  issueBundle,
  revokeCertificate,
  deleteDevice,
  prune: pruneGuesses,
};
export type Enrollment = Bound<typeof enrollmentUseCases>;

export function createEnrollment(given: EnrollmentDeps): Enrollment {
  const claimCodeKey = createSecretKey(deriveKey(given.masterKey.reveal(), "claim-code"));
  return bind({ ...given, claimCodeKey }, enrollmentUseCases);
}

function redeem(deps: Enrolling, from: DevicePeer, request: RedemptionRequest): Promise<RedemptionAnswer> {
  return counted(deps, "redeem", redeemClaim(deps, from, request));
}

function renew(deps: Enrolling, from: DevicePeer, request: { csr: string }): Promise<RenewalAnswer> {
  return counted(deps, "renew", renewCertificate(deps, from, request));
}
