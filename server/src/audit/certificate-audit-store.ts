import { sql } from "kysely";
import type { Db } from "../db/database.ts";
import type { CertificateAuditTable } from "../db/schema.ts";
import type { PageRequest } from "../lib/page.ts";
import { type Counted, countedPage } from "../lists/counted-page.ts";

export type CertificateAuditRow = Omit<CertificateAuditTable, "seq" | "tenant_id">;

export async function insertEntries(db: Db, tenantId: string, rows: readonly CertificateAuditRow[]): Promise<void> {
  if (rows.length === 0) return;
  await db
    .insertInto("certificate_audit")
    .values(rows.map((row) => ({ tenant_id: tenantId, ...row })))
    .execute();
}

/** One page, newest first by the entries' ids, and how many there are. */
export async function listEntryRows(
  db: Db,
  tenantId: string,
  page: PageRequest,
): Promise<Counted<CertificateAuditRow>> {
  return await countedPage(db, tenantId, { list: "certificate_audit", as: "a", columns: COLUMNS }, page);
}

const COLUMNS = sql`a.id, a.kind, a.at, a.actor, a.device_id, a.certificate_id, a.serial_number, a.previous_serial_number,
  a.fingerprint_sha256, a.claim_id`;
