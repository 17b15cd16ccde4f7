import { type RawBuilder, sql } from "kysely";
import { endingBundles, overdueRenewals } from "../../certificates/certificates.ts";
import type { Tx } from "../../db/database.ts";

/** The certificate of a newly recorded notice. */
export interface NoticeRow {
  id: string;
  tenant_id: string;
  serial_number: string;
  not_after: Date;
  device_id: string;
  device_name: string;
  place: string | null;
}

/** The maximum number of notices that one statement records. */
export const NOTICE_BATCH = 500;

/** Records a notice of `kind` for each certificate of a query with the column `id`, except those that have one. */
async function recordNotices(tx: Tx, kind: string, now: Date, certificates: RawBuilder<unknown>): Promise<NoticeRow[]> {
  const { rows } = await sql<NoticeRow>`
    WITH recorded AS (
      INSERT INTO certificate_notices (certificate_id, kind, at)
      SELECT c.id, ${kind}, ${now} FROM (${certificates}) c
       WHERE NOT EXISTS (SELECT FROM certificate_notices n WHERE n.certificate_id = c.id AND n.kind = ${kind})
       ORDER BY c.id LIMIT ${NOTICE_BATCH}
      ON CONFLICT DO NOTHING RETURNING certificate_id
    )
    SELECT c.id, c.tenant_id, c.serial_number, c.not_after, c.device_id, d.name AS device_name, d.place
      FROM recorded r JOIN shared_certificates c ON c.id = r.certificate_id JOIN shared_devices d ON d.uid = c.device_uid
     ORDER BY c.id`.execute(tx);
  return rows;
}

export function recordCertificateNotice(tx: Tx, kind: string, id: string, now: Date): Promise<NoticeRow[]> {
  return recordNotices(tx, kind, now, sql`SELECT id FROM shared_certificates WHERE id = ${id}`);
}

export function recordOverdueNotices(tx: Tx, now: Date): Promise<NoticeRow[]> {
  return recordNotices(tx, "certificate.renewal_overdue", now, overdueRenewals(sql`${now}`));
}

export function recordExpiringNotices(tx: Tx, now: Date): Promise<NoticeRow[]> {
  return recordNotices(tx, "certificate.expiring", now, endingBundles(sql`${now}`));
}

/** Lists the active admins of the tenants. */
export async function adminsOf(
  tx: Tx,
  tenantIds: string[],
): Promise<{ id: string; tenant_id: string; email: string }[]> {
  const { rows } = await sql<{ id: string; tenant_id: string; email: string }>`
    SELECT id, tenant_id, email FROM shared_users WHERE tenant_id = ANY (${tenantIds}::uuid[]) AND role = 'admin'
       AND status = 'active' AND deleted_at IS NULL ORDER BY id`.execute(tx);
  return rows;
}
