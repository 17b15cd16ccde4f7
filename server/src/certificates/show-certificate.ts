import { boundedToGroupsOf, useCase } from "../access/access.ts";
import { isUuid } from "../lib/ids.ts";
import { certificatePem } from "../pki/pki.ts";
import { type CertificateRecord, toCertificateRecord } from "./certificate-record.ts";
import { type CertificateContext, findCertificate, findCertificateContext } from "./certificate-store.ts";
import type { CertificatesDeps } from "./deps.ts";
import { certificateNotFound } from "./errors.ts";
import { listSuccessors, type SuccessorCertificate } from "./revocation-store.ts";

/**
 * A certificate with what a person considers before revoking it: the session that ends, and the device's other
 * certificates.
 */
export interface CertificateDetail extends CertificateRecord {
  /** The leaf alone, without its chain. */
  pem: string;
  /** The open session that was opened with it. */
  session: CertificateContext["session"];
  /** The number of other live certificates of its device. */
  otherLiveCertificates: number;
  /** The live certificate that replaced it through renewals; revoking this one does not revoke that one. */
  liveSuccessor: Pick<SuccessorCertificate, "id" | "serialNumber" | "expiresAt"> | null;
}

/** @throws MusterError certificate_not_found */
export const showCertificate = useCase(
  { role: "viewer" },
  async ({ database: { db }, clock }: CertificatesDeps, caller, id: string): Promise<CertificateDetail> => {
    const viewer = boundedToGroupsOf(caller);
    const now = clock.now();
    if (!isUuid(id)) throw certificateNotFound();
    const row = await findCertificate(db, caller.tenantId, id, viewer);
    const context = await findCertificateContext(db, caller.tenantId, id, viewer, now);
    if (row === undefined || context === undefined) throw certificateNotFound();
    const successors = row.superseded_by_id === null ? [] : await listSuccessors(db, caller.tenantId, id);
    const live = successors.find(({ expiresAt, isRevoked }) => !isRevoked && expiresAt > now);
    return {
      ...toCertificateRecord(row, now),
      pem: certificatePem(context.der),
      session: context.session,
      otherLiveCertificates: context.otherLive,
      liveSuccessor: live ? { id: live.id, serialNumber: live.serialNumber, expiresAt: live.expiresAt } : null,
    };
  },
);
