/**
 * The record of issued certificates: lists, the identification of peers, and the functions and SQL fragments that write
 * it. Enrollment decides which certificates are issued and revoked.
 */
import { type Bound, bind } from "../access/access.ts";
import type { CertificatesDeps } from "./deps.ts";
import { identifyDevice } from "./identify-device.ts";
import { createIdentityLookups } from "./identity-lookups.ts";
import { getCertificate, listCertificateAudit, listCertificates, tenantOfCertificate } from "./list-certificates.ts";
import { showCertificate } from "./show-certificate.ts";

export { blockKey, findKeyOfCertificate, listDevicesWithKey } from "./blocked-key-store.ts";
export {
  type CertificateValues,
  certificateValues,
  givenOrigin,
  type IssuedCertificate,
  insertCertificate,
  type SignedCertificate,
  type SignedValues,
  signedValues,
} from "./certificate-insert-store.ts";
export { findCertificateContext } from "./certificate-store.ts";
export {
  type CertificateEndings,
  countLiveCertificates,
  countUnknownDevices,
  type LaterCertificate,
  listDevicesWithCertificate,
  listIssuedSince,
  newestIssue,
  readCertificateEndings,
} from "./endings/carry-endings-store.ts";
export {
  type CertificateValidity,
  findIdentityProblem,
  fingerprintOf,
  type PeerCertificate,
} from "./identity.ts";
export { lockForSessions } from "./identity-store.ts";
export { lastConnectedStatement } from "./last-connected-store.ts";
export { endingBundles, overdueRenewals } from "./lost-renewal-store.ts";
export {
  findCertificateOfDevice,
  listSuccessors,
  type RevokedRow,
  type SuccessorCertificate,
} from "./revocation-store.ts";
export {
  carryCertificateEndings,
  revokeAllIssued,
  revokeIssued,
  revokeIssuedToDevice,
  revokeIssuedToDevices,
  revokeIssuedWithKey,
  revokeLiveOfDevice,
} from "./revoke.ts";
export { countServerRoot, hasServerRoot, type ServerRoot } from "./server-root-store.ts";
export type { CertificateDetail } from "./show-certificate.ts";
export { isKeyBlocked, lockLiveCertificate, type SupersedeValues, supersedeCertificates } from "./supersede-store.ts";

/** The functions for callers and the broker. Each file documents its errors. */
export const certificateUseCases = {
  listCertificates,
  getCertificate,
  showCertificate,
  listCertificateAudit,
  tenantOfCertificate,
  identifyDevice,
};
export type Certificates = Bound<typeof certificateUseCases>;
export const createCertificates = (deps: CertificatesDeps): Certificates =>
  bind({ ...deps, findIdentity: createIdentityLookups(deps.database) }, certificateUseCases);
