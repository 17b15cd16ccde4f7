import { boundedToGroupsOf, groupsOfViewer, useCase } from "../access/access.ts";
import {
  type CertificateAuditEntry,
  type CertificateAuditQuery,
  listCertificateAudit as listAuditEntries,
} from "../audit/audit.ts";
import { isUuid } from "../lib/ids.ts";
import { type Page, type PageRequest, splitPage } from "../lib/page.ts";
import { invalidRequest } from "../lib/request-errors.ts";
import { type CertificateRecord, toCertificateRecord } from "./certificate-record.ts";
import {
  type CertificateFilter,
  type CertificateSort,
  findCertificate,
  findTenantOfCertificate,
  listCertificateRows,
  listCertificateRowsByExpiry,
} from "./certificate-store.ts";
import type { CertificatesDeps } from "./deps.ts";
import { certificateNotFound } from "./errors.ts";

export type CertificateQuery = CertificateFilter & PageRequest & { sort?: CertificateSort | undefined };

/**
 * Lists certificates, newest first (spec 4.5). A device that is not the tenant's, or that the caller does not see,
 * matches nothing. Sorted by expiry, the list excludes revoked certificates.
 *
 * @throws MusterError invalid_request
 */
export const listCertificates = useCase(
  { scope: "device-certificates:read", role: "viewer" },
  async (deps: CertificatesDeps, caller, query: CertificateQuery): Promise<Page<CertificateRecord>> => {
    const now = deps.clock.now();
    const [page, { sort = "newest", ...filter }] = splitPage(query);
    const { skip, limit } = page;
    if (filter.deviceId?.includes("\0")) return { items: [], total: 0, skip, limit };
    if (sort === "expiry" && (filter.state === "revoked" || filter.status === "revoked"))
      throw invalidRequest("revoked certificates cannot be sorted by expiry", "sort");
    const list = sort === "expiry" ? listCertificateRowsByExpiry : listCertificateRows;
    const { db } = deps.database;
    const wanted = { ...filter, viewer: await groupsOfViewer(db, boundedToGroupsOf(caller)), now };
    const { rows, ...total } = await list(db, caller.tenantId, wanted, page);
    return { items: rows.map((row) => toCertificateRecord(row, now)), ...total, skip, limit };
  },
);

/** @throws MusterError certificate_not_found */
export const getCertificate = useCase(
  { scope: "device-certificates:read", role: "viewer" },
  async (deps: CertificatesDeps, caller, id: string): Promise<CertificateRecord> => {
    const viewer = boundedToGroupsOf(caller);
    const row = isUuid(id) ? await findCertificate(deps.database.db, caller.tenantId, id, viewer) : undefined;
    if (row === undefined) throw certificateNotFound();
    return toCertificateRecord(row, deps.clock.now());
  },
);

/** Lists issuances, renewals and revocations of certificates, newest first (spec 4.6). */
export const listCertificateAudit = useCase(
  { scope: "device-certificates:read", role: "admin" },
  (deps: CertificatesDeps, caller, query: CertificateAuditQuery): Promise<Page<CertificateAuditEntry>> =>
    listAuditEntries(deps.database.db, caller.tenantId, query),
);

/**
 * Returns the tenant's slug for a certificate that the shell identifies by its id alone.
 *
 * @throws MusterError certificate_not_found
 */
export async function tenantOfCertificate({ database }: CertificatesDeps, id: string): Promise<string> {
  const slug = isUuid(id) ? await findTenantOfCertificate(database.db, id) : undefined;
  if (slug === undefined) throw certificateNotFound();
  return slug;
}
