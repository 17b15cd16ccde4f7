import { type RawBuilder, sql } from "kysely";
import type { Tx } from "../../db/database.ts";

/** The certificate of a notice that has just been recorded. */
export interface NoticeRow {
  id: string;
  tenant_id: string;
  serial_number: string;
  not_after: Date;
  device_id: string;
  device_name: string;
}

/** The most notices that one statement records. */
export const NOTICE_BATCH = 500;

/** Records a notice of `kind` for the certificates `c` that `which` selects, except those that have one. */
async function recordNotices(tx: Tx, kind: string, now: Date, which: RawBuilder<unknown>): Promise<NoticeRow[]> {
  const { rows } = await sql<NoticeRow>`
    WITH recorded AS (
      INSERT INTO certificate_notices (certificate_id, kind, at)
      SELECT c.id, ${kind}, ${now} FROM shared_certificates c WHERE ${which}
         AND NOT EXISTS (SELECT FROM certificate_notices n WHERE n.certificate_id = c.id AND n.kind = ${kind})
       ORDER BY c.id LIMIT ${NOTICE_BATCH}
      ON CONFLICT DO NOTHING RETURNING certificate_id
    )
    SELECT c.id, c.tenant_id, c.serial_number, c.not_after, c.device_id, d.name AS device_name
      FROM recorded r JOIN shared_certificates c ON c.id = r.certificate_id JOIN shared_devices d ON d.uid = c.device_uid
     ORDER BY c.id`.execute(tx);
  return rows;
}

/** No other certificate of the device expires later: a device that has one needs no notice. */
const LAST = sql`NOT EXISTS (SELECT FROM shared_certificates o WHERE o.device_uid = c.device_uid AND o.revoked_at IS NULL
  AND o.not_after > c.not_after)`;

export function recordCertificateNotice(tx: Tx, kind: string, id: string, now: Date): Promise<NoticeRow[]> {
  return recordNotices(tx, kind, now, sql`c.id = ${id}`);
}

/** For active self-enrolled certificates that should have been renewed before `before`. */
export function recordOverdueNotices(tx: Tx, before: Date, now: Date): Promise<NoticeRow[]> {
  const which = sql`c.revoked_at IS NULL AND c.not_after > ${now} AND c.kind = 'self_enrolled' AND c.renew_after < ${before}
    AND ${LAST}`;
  return recordNotices(tx, "certificate.renewal_overdue", now, which);
}

/** For active bundles that expire before `before`. */
export function recordExpiringNotices(tx: Tx, before: Date, now: Date): Promise<NoticeRow[]> {
  const which = sql`c.revoked_at IS NULL AND c.not_after > ${now} AND c.not_after < ${before} AND c.kind = 'platform'
    AND ${LAST}`;
  return recordNotices(tx, "certificate.expiring", now, which);
}

/** The active admins of the tenants. */
export async function adminsOf(
  tx: Tx,
  tenantIds: string[],
): Promise<{ id: string; tenant_id: string; email: string }[]> {
  const { rows } = await sql<{ id: string; tenant_id: string; email: string }>`
    SELECT id, tenant_id, email FROM shared_users WHERE tenant_id = ANY (${tenantIds}::uuid[]) AND role = 'admin'
       AND status = 'active' AND deleted_at IS NULL ORDER BY id`.execute(tx);
  return rows;
}
