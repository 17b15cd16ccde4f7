import type { Db } from "../db/database.ts";
import { isUuid } from "../lib/ids.ts";
import { type Page, type PageRequest, splitPage } from "../lib/page.ts";
import { type CertificateAuditRow, type EntryFilter, insertEntries, listEntryRows } from "./certificate-audit-store.ts";
import { isStorable } from "./storable.ts";

export {
  type ActQuery,
  type AdminAct,
  type AdministerDeps,
  type Administrator,
  administer,
  type Changed,
  findKeyEnds,
  listActs,
  listInstallationActs,
  recordAct,
} from "./admin-audit.ts";
export { type ApiWrite, type Audit, createAudit, listApiWrites, recordWrite, type WriteQuery } from "./api-writes.ts";
export { type IssuanceKind, insertIssuanceEntry } from "./certificate-audit-store.ts";
export { type ApiRequest, reserveIdempotencyKey } from "./idempotency.ts";
export { recordKeyWrite } from "./key-writes.ts";
export { beginOfLastActs, hasEntries, type NewestEntries, newestEntries } from "./newest-entries-store.ts";

/**
 * An entry of the certificate audit (spec 2.6, 6; fields as in docs/spec-decisions.md). Only renewals have
 * `previousSerialNumber`.
 */
export interface CertificateAuditEntry {
  id: string;
  kind: CertificateAuditRow["kind"];
  at: Date;
  actor: string;
  deviceId: string;
  certificateId: string;
  serialNumber: string;
  previousSerialNumber?: string;
  fingerprintSha256: string;
}

/** A revocation to record, in the transaction that makes it. */
export interface RevocationRecord {
  id: string;
  at: Date;
  actor: string;
  deviceId: string;
  certificateId: string;
  serialNumber: string;
  fingerprintSha256: string;
}

/**
 * Records revocations. The statement that records a certificate writes the entry of its issuance
 * (`insertIssuanceEntry`). A trigger makes the audit append-only.
 */
export async function auditRevocations(db: Db, tenantId: string, records: readonly RevocationRecord[]): Promise<void> {
  const rows = records.map((record) => ({
    id: record.id,
    kind: "device_cert_revoked" as const,
    at: record.at,
    actor: record.actor,
    device_id: record.deviceId,
    certificate_id: record.certificateId,
    serial_number: record.serialNumber,
    previous_serial_number: null,
    fingerprint_sha256: record.fingerprintSha256,
    claim_id: null,
  }));
  await insertEntries(db, tenantId, rows);
}

export type CertificateAuditQuery = EntryFilter & PageRequest;

/** Lists the certificate audit, newest first (spec 4.6). A certificate id that is not a UUID matches nothing. */
export async function listCertificateAudit(
  db: Db,
  tenantId: string,
  query: CertificateAuditQuery,
): Promise<Page<CertificateAuditEntry>> {
  const [page, filter] = splitPage(query);
  const { skip, limit } = page;
  const isPossible = isStorable(filter) && (filter.certificateId === undefined || isUuid(filter.certificateId));
  if (!isPossible) return { items: [], total: 0, skip, limit };
  const { rows, ...total } = await listEntryRows(db, tenantId, filter, page);
  return { items: rows.map(toEntry), ...total, skip, limit };
}

function toEntry(row: CertificateAuditRow): CertificateAuditEntry {
  return {
    id: row.id,
    kind: row.kind,
    at: row.at,
    actor: row.actor,
    deviceId: row.device_id,
    certificateId: row.certificate_id,
    serialNumber: row.serial_number,
    ...(row.previous_serial_number === null ? {} : { previousSerialNumber: row.previous_serial_number }),
    fingerprintSha256: row.fingerprint_sha256,
  };
}
