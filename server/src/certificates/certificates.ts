/**
 * The record of issued certificates: reading it, identifying a peer by it, and the fragments by which enrollment writes it.
 * Who gets a certificate and who loses it is decided by enrollment.
 */
import type { Caller } from "../access/access.ts";
import { type CertificateAuditEntry, listCertificateAudit } from "../audit/audit.ts";
import type { Page, PageRequest } from "../lib/page.ts";
import type { CertificateRecord } from "./certificate-record.ts";
import type { CertificatesDeps } from "./deps.ts";
import { type IdentifiedDevice, identifyDevice, type UnidentifiedPeer } from "./identify-device.ts";
import type { PeerCertificate } from "./identity.ts";
import { type CertificateQuery, getCertificate, listCertificates } from "./list-certificates.ts";

export type { CertificateAuditEntry } from "../audit/audit.ts";
export {
  type CertificateValues,
  certificateValues,
  clientIdInUse,
  type IssuedCertificate,
  insertCertificate,
  leaseClientId,
} from "./certificate-insert-store.ts";
export type { CertificateRecord } from "./certificate-record.ts";
export type { CertificatesDeps } from "./deps.ts";
export type { IdentifiedDevice, UnidentifiedPeer } from "./identify-device.ts";
export {
  fingerprintOf,
  type IdentityProblem,
  identityProblem,
  type PeerCertificate,
  type Standing,
} from "./identity.ts";
export type { CertificateQuery } from "./list-certificates.ts";

export { type CertificateOfDevice, findCertificateOfDevice } from "./revocation-store.ts";
export { type Revocation, revokeAllIssued, revokeIssued, revokeIssuedToDevice } from "./revoke.ts";

/** The use cases; what each throws stands at its own file. */
export interface Certificates {
  listCertificates(caller: Caller, query: CertificateQuery): Promise<Page<CertificateRecord>>;
  getCertificate(caller: Caller, id: string): Promise<CertificateRecord>;
  listCertificateAudit(caller: Caller, page: PageRequest): Promise<Page<CertificateAuditEntry>>;
  identifyDevice(peer: PeerCertificate): Promise<IdentifiedDevice | UnidentifiedPeer>;
}

export function createCertificates(deps: CertificatesDeps): Certificates {
  return {
    listCertificates: (caller, query) => listCertificates(deps, caller, query),
    getCertificate: (caller, id) => getCertificate(deps, caller, id),
    listCertificateAudit: (caller, page) => listCertificateAudit(deps.database.db, caller.tenantId, page),
    identifyDevice: (peer) => identifyDevice(deps, peer),
  };
}
