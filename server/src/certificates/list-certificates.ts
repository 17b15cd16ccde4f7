import type { Caller } from "../access/access.ts";
import { isUuid } from "../lib/ids.ts";
import type { Page, PageRequest } from "../lib/page.ts";
import { type CertificateRecord, certificateRecord } from "./certificate-record.ts";
import { type CertificateFilter, findCertificate, listCertificateRows } from "./certificate-store.ts";
import type { CertificatesDeps } from "./deps.ts";
import { certificateNotFound } from "./errors.ts";

export type CertificateQuery = CertificateFilter & PageRequest;

/** Newest first (spec 4.5). A device id that is not the tenant's matches nothing. */
export async function listCertificates(
  deps: CertificatesDeps,
  caller: Caller,
  query: CertificateQuery,
): Promise<Page<CertificateRecord>> {
  const now = deps.clock.now();
  const { skip, limit, deviceId, status } = query;
  if (deviceId?.includes("\0")) return { items: [], total: 0, skip, limit };
  const found = await listCertificateRows(deps.database.db, caller.tenantId, { deviceId, status }, { skip, limit });
  return { items: found.rows.map((row) => certificateRecord(row, now)), total: found.total, skip, limit };
}

/** @throws MusterError certificate_not_found */
export async function getCertificate(deps: CertificatesDeps, caller: Caller, id: string): Promise<CertificateRecord> {
  const row = isUuid(id) ? await findCertificate(deps.database.db, caller.tenantId, id) : undefined;
  if (row === undefined) throw certificateNotFound();
  return certificateRecord(row, deps.clock.now());
}
