import type { Db } from "../db/database.ts";
import type { Page, PageRequest } from "../lib/page.ts";
import { type CertificateAuditRow, insertEntries, listEntryRows } from "./certificate-audit-store.ts";

export {
  type ApiRequest,
  type ApiWrite,
  type Audit,
  createAudit,
  noteWrite,
  type WriteNote,
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

/** A revocation to be noted, in the transaction that makes it. */
export interface RevocationNote {
  id: string;
  at: Date;
  actor: string;
  deviceId: string;
  certificateId: string;
  serialNumber: string;
  fingerprintSha256: string;
}

/**
 * Notes that certificates were revoked. The entries of issuance are written by enrollment in the very statement that
 * records the certificate; all of them only grow, the database sees to that.
 */
export async function noteRevocations(db: Db, tenantId: string, notes: readonly RevocationNote[]): Promise<void> {
  const rows = notes.map((note) => ({
    id: note.id,
    kind: "device_cert_revoked" as const,
    at: note.at,
    actor: note.actor,
    device_id: note.deviceId,
    certificate_id: note.certificateId,
    serial_number: note.serialNumber,
    previous_serial_number: null,
    fingerprint_sha256: note.fingerprintSha256,
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
