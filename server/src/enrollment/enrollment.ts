/**
 * The registration authority: who gets a certificate, who keeps it, who loses it (spec 2.1-2.6, 3, 4.3-4.10). Nothing is
 * remembered here: every decision is the database's, so several processes on one database decide as one.
 */
import { createSecretKey } from "node:crypto";
import type { Caller } from "../access/access.ts";
import { isMusterError } from "../lib/errors.ts";
import type { Page } from "../lib/page.ts";
import { deriveKey } from "../pki/pki.ts";
import type { ClaimRecord } from "./claim-record.ts";
import { createClaim, type NewClaim } from "./create-claim.ts";
import { deleteDevice } from "./delete-device.ts";
import type { Enrolling, EnrollmentDeps } from "./deps.ts";
import { pruneGuesses } from "./guess-throttle.ts";
import { type Bundle, type BundleRequest, issueBundle } from "./issue-bundle.ts";
import { type ClaimQuery, getClaim, listClaims, revokeClaim } from "./manage-claims.ts";
import { type DevicePeer, type RedemptionAnswer, type RedemptionRequest, redeemClaim } from "./redeem-claim.ts";
import { type RenewalAnswer, renewCertificate } from "./renew-certificate.ts";
import { revokeCertificate } from "./revoke-certificate.ts";

export type { ClaimRecord } from "./claim-record.ts";
export { revokeAllClaims } from "./claim-store.ts";
export type { NewClaim } from "./create-claim.ts";
export type { EnrollmentDeps } from "./deps.ts";
export type { EnrollmentErrorCode } from "./errors.ts";
export type { Bundle, BundleRequest } from "./issue-bundle.ts";
export { CLAIM_MINUTES, CLAIM_USES, MAX_ACTIVE_PLATFORM_CERTS_PER_DEVICE, RENEWAL_ENDPOINT } from "./limits.ts";
export type { ClaimQuery } from "./manage-claims.ts";
export type { DevicePeer, RedemptionAnswer, RedemptionRequest } from "./redeem-claim.ts";
export type { RenewalAnswer } from "./renew-certificate.ts";

/** The use cases; what each throws stands at its own file. */
export interface Enrollment {
  createClaim(caller: Caller, input: NewClaim): Promise<ClaimRecord & { claimCode: string }>;
  listClaims(caller: Caller, query: ClaimQuery): Promise<Page<ClaimRecord>>;
  getClaim(caller: Caller, id: string): Promise<ClaimRecord>;
  revokeClaim(caller: Caller, id: string): Promise<void>;
  redeemClaim(from: DevicePeer, request: RedemptionRequest): Promise<RedemptionAnswer>;
  renewCertificate(from: DevicePeer, request: { csr: string }): Promise<RenewalAnswer>;
  issueBundle(caller: Caller, request: BundleRequest): Promise<Bundle>;
  revokeCertificate(caller: Caller, id: string): Promise<void>;
  deleteDevice(caller: Caller, deviceId: string): Promise<void>;
  /** Forgets what no rule looks at any more; to be called every few minutes. */
  prune(): Promise<void>;
}

export function createEnrollment(given: EnrollmentDeps): Enrollment {
  const deps: Enrolling = {
    ...given,
    claimCodeKey: createSecretKey(deriveKey(given.masterKey.reveal(), "claim-code")),
  };
  const counted = <T>(operation: string, work: Promise<T>) => count(deps, operation, work);
  return {
    createClaim: (caller, input) => createClaim(deps, caller, input),
    listClaims: (caller, query) => listClaims(deps, caller, query),
    getClaim: (caller, id) => getClaim(deps, caller, id),
    revokeClaim: (caller, id) => revokeClaim(deps, caller, id),
    redeemClaim: (from, request) => counted("redeem", redeemClaim(deps, from, request)),
    renewCertificate: (from, request) => counted("renew", renewCertificate(deps, from, request)),
    issueBundle: (caller, request) => counted("bundle", issueBundle(deps, caller, request)),
    revokeCertificate: (caller, id) => revokeCertificate(deps, caller, id),
    deleteDevice: (caller, deviceId) => deleteDevice(deps, caller, deviceId),
    prune: () => pruneGuesses(deps),
  };
}

async function count<T>(deps: Enrolling, operation: string, work: Promise<T>): Promise<T> {
  try {
    const done = await work;
    deps.metrics.enrollments.inc({ operation, result: "ok" });
    return done;
  } catch (error) {
    deps.metrics.enrollments.inc({ operation, result: isMusterError(error) ? error.code : "internal_error" });
    throw error;
  }
}
