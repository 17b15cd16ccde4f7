/**
 * The registration authority: decides who gets, keeps and loses a certificate (spec 2.1-2.6, 3, 4.3-4.10). The database
 * decides, not memory, so several processes on one database decide as one.
 */

import { type Bound, bind } from "../access/access.ts";
import { changeDevices } from "./bulk/change-devices.ts";
import { importDevices } from "./bulk/import-devices.ts";
import { allowReenrollment } from "./claims/allow-reenrollment.ts";
import { createClaim } from "./claims/create-claim.ts";
import { pruneGuesses } from "./claims/guess-throttle.ts";
import { KnownClaims } from "./claims/known-claims.ts";
import { LimitedGuessers } from "./claims/limited-guessers.ts";
import { getClaim, listClaims, nameClaims, revokeClaim } from "./claims/manage-claims.ts";
import { deleteDevice } from "./delete-device.ts";
import type { EnrollmentDeps } from "./deps.ts";
import { connectGuide } from "./guide/connect-guide.ts";
import { issueBundle } from "./issue-bundle.ts";
import { createFirstRedemptions } from "./redemption/first-redemption-store.ts";
import { redeemClaim } from "./redemption/redeem-claim.ts";
import { RefusedCertificates } from "./renewal/refused-certificates.ts";
import { renewCertificate } from "./renewal/renew-certificate.ts";
import { createRenewals } from "./renewal/renewals.ts";
import { blockKey } from "./revocation/block-key.ts";
import { revokeCertificate } from "./revocation/revoke-certificate.ts";
import { revokeEveryCertificate } from "./revocation/revoke-every-certificate.ts";
import { revokeDeviceCertificates } from "./revocation/revoke-of-device.ts";
import { showCertificateChain } from "./show-chain.ts";

export type { DeviceOutcome } from "./bulk/change-devices.ts";
export { carryEndedClaims, readEndedClaims, revokeAllClaims } from "./claims/claim-store.ts";
export type { EnrollmentDeps } from "./deps.ts";

/** The functions for callers and devices. Each file documents its errors. */
export const enrollmentUseCases = {
  createClaim,
  allowReenrollment,
  listClaims,
  getClaim,
  nameClaims,
  revokeClaim,
  redeemClaim,
  renewCertificate,
  issueBundle,
  showCertificateChain,
  revokeCertificate,
  revokeDeviceCertificates,
  deleteDevice,
  changeDevices,
  importDevices,
  blockKey,
  revokeEveryCertificate,
  connectGuide,
  prune: pruneGuesses,
};
export type Enrollment = Bound<typeof enrollmentUseCases>;

/** Creates the caches and batchers of a process, which save database queries; none of them decides. */
export const newMemory = (
  database: EnrollmentDeps["database"],
): Pick<
  EnrollmentDeps,
  "knownClaims" | "limitedGuessers" | "firstRedemptions" | "renewals" | "refusedCertificates"
> => ({
  knownClaims: new KnownClaims(),
  limitedGuessers: new LimitedGuessers(),
  firstRedemptions: createFirstRedemptions(database),
  renewals: createRenewals(database),
  refusedCertificates: new RefusedCertificates(),
});

export const createEnrollment = (deps: EnrollmentDeps): Enrollment => bind(deps, enrollmentUseCases);
