import type { Db } from "../db/database.ts";
import type { Page, PageRequest } from "../lib/page.ts";
import { type CertificateAuditRow, insertEntries, listEntryRows } from "./certificate-audit-store.ts";

export {
  type AdminAct,
  type AdministerDeps,
  type Administrator,
  administer,
  type Changed,
  listActs,
  recordAct,
} from "./admin-audit.ts";
export {
  type ApiRequest,
  type ApiWrite,
  type Audit,
  createAudit,
  listApiWrites,
  recordWrite,
  type WriteRecord,
  type WriteResult,
} from "./api-writes.ts";
export { type IssuanceKind, insertIssuanceEntry } from "./certificate-audit-store.ts";

/** Spec 2.6, 6; fields as in docs/spec-decisions.md. `previousSerialNumber` is there on renewals only. */
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
 * Records revocations. Entries of issuance are written by the statement that records the certificate
 * (`insertIssuanceEntry`). A trigger keeps the audit append-only.
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

/** Newest first (spec 4.6). */
export async function listCertificateAudit(
  db: Db,
  tenantId: string,
  page: PageRequest,
): Promise<Page<CertificateAuditEntry>> {
  const { rows, total } = await listEntryRows(db, tenantId, page);
  return { items: rows.map(toEntry), total, skip: page.skip, limit: page.limit };
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
