import { type RawBuilder, sql } from "kysely";
import type { Tx } from "../../db/database.ts";

export interface NoticedRow {
  id: string;
  tenant_id: string;
  serial_number: string;
  not_after: Date;
  device_id: string;
  device_name: string;
}

/** Notes a complaint about each of the certificates that `which` names and that has none of the kind. */
async function note(tx: Tx, kind: string, now: Date, which: RawBuilder<unknown>): Promise<NoticedRow[]> {
  const { rows } = await sql<NoticedRow>`
    WITH noted AS (
      INSERT INTO certificate_notices (certificate_id, kind, at)
      SELECT c.id, ${kind}, ${now} FROM certificates c WHERE ${which}
         AND NOT EXISTS (SELECT FROM certificate_notices n WHERE n.certificate_id = c.id AND n.kind = ${kind})
       ORDER BY c.id LIMIT 500
      ON CONFLICT DO NOTHING RETURNING certificate_id
    )
    SELECT c.id, c.tenant_id, c.serial_number, c.not_after, c.device_id, d.name AS device_name
      FROM noted n JOIN certificates c ON c.id = n.certificate_id JOIN devices d ON d.uid = c.device_uid
     ORDER BY c.id`.execute(tx);
  return rows;
}

/** No other certificate of the device lives longer: a device that has a fresh one needs nobody. */
const LAST = sql`NOT EXISTS (SELECT FROM certificates o WHERE o.device_uid = c.device_uid AND o.revoked_at IS NULL
  AND o.not_after > c.not_after)`;

export function noteCertificate(tx: Tx, kind: string, id: string, now: Date): Promise<NoticedRow[]> {
  return note(tx, kind, now, sql`c.id = ${id}`);
}

/** Live self-enrolled certificates that should have been renewed before `before`. */
export function noteOverdue(tx: Tx, before: Date, now: Date): Promise<NoticedRow[]> {
  const which = sql`c.revoked_at IS NULL AND c.not_after > ${now} AND c.kind = 'self_enrolled' AND c.renew_after < ${before}
    AND ${LAST}`;
  return note(tx, "certificate.renewal_overdue", now, which);
}

/** Live bundles that end before `before`. */
export function noteExpiring(tx: Tx, before: Date, now: Date): Promise<NoticedRow[]> {
  const which = sql`c.revoked_at IS NULL AND c.not_after > ${now} AND c.not_after < ${before} AND c.kind = 'platform'
    AND ${LAST}`;
  return note(tx, "certificate.expiring", now, which);
}

/** The admins of the tenants. */
export async function admins(tx: Tx, tenantIds: string[]) {
  const { rows } = await sql<{ id: string; tenant_id: string; email: string }>`
    SELECT id, tenant_id, email FROM users WHERE tenant_id = ANY (${tenantIds}::uuid[]) AND role = 'admin'
       AND status = 'active' AND deleted_at IS NULL ORDER BY id`.execute(tx);
  return rows;
}
