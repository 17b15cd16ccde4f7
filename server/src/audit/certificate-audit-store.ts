import { sql } from "kysely";
import type { Db } from "../db/database.ts";
import type { CertificateAuditTable } from "../db/schema.ts";
import type { PageRequest } from "../lib/page.ts";

export type CertificateAuditRow = Omit<CertificateAuditTable, "seq" | "tenant_id">;

export async function insertEntries(db: Db, tenantId: string, rows: readonly CertificateAuditRow[]): Promise<void> {
  if (rows.length === 0) return;
  await db
    .insertInto("certificate_audit")
    .values(rows.map((row) => ({ tenant_id: tenantId, ...row })))
    .execute();
}

/** One page, newest first by the order of writing, and how many there are. */
export async function listEntryRows(
  db: Db,
  tenantId: string,
  { skip, limit }: PageRequest,
): Promise<{ rows: CertificateAuditRow[]; total: number }> {
  const [{ rows }, counted] = await Promise.all([
    sql<CertificateAuditRow>`
      SELECT id, kind, at, actor, device_id, certificate_id, serial_number, previous_serial_number,
        fingerprint_sha256, claim_id
      FROM certificate_audit WHERE tenant_id = ${tenantId} ORDER BY seq DESC LIMIT ${limit} OFFSET ${skip}`.execute(db),
    sql<{ total: string }>`SELECT count(*) AS total FROM certificate_audit WHERE tenant_id = ${tenantId}`.execute(db),
  ]);
  return { rows, total: Number(counted.rows[0]!.total) };
}
