import { sql } from "kysely";
import { type Viewer, visibleDevice } from "../access/access.ts";
import type { Db } from "../db/database.ts";
import type { CertificatesTable } from "../db/schema.generated.ts";
import type { PageRequest } from "../lib/page.ts";
import { type Counted, countedPage, filteredPage } from "../lists/counted-page.ts";

/** A recorded certificate without its DER; `connected` is whether a session is open that was opened with it. */
export interface CertificateRow
  extends Omit<
    CertificatesTable,
    "tenant_id" | "device_uid" | "spki_sha256" | "der" | "subscribe_topics" | "claim_id"
  > {
  connected: boolean;
}

export interface CertificateFilter {
  deviceId?: string | undefined;
  /** `active` is "not revoked" and includes expired certificates (spec 4.5). */
  status?: "active" | "revoked" | undefined;
}

/** The certificate, if `viewer` sees its device. */
export async function findCertificate(
  db: Db,
  tenantId: string,
  id: string,
  viewer: Viewer,
): Promise<CertificateRow | undefined> {
  const { rows } = await sql<CertificateRow>`
    SELECT ${COLUMNS} FROM certificates c
     WHERE c.tenant_id = ${tenantId} AND c.id = ${id} AND ${visibleDevice(viewer, "c.device_uid")}`.execute(db);
  return rows[0];
}

/** The slug of the tenant that has the certificate. */
export async function findTenantOfCertificate(db: Db, id: string): Promise<string | undefined> {
  const { rows } = await sql<{ slug: string }>`
    SELECT t.slug FROM certificates c JOIN shared_tenants t ON t.id = c.tenant_id WHERE c.id = ${id}`.execute(db);
  return rows[0]?.slug;
}

/** One page of the certificates of devices that `viewer` sees, newest first, and the total. */
export async function listCertificateRows(
  db: Db,
  tenantId: string,
  { deviceId, status, viewer }: CertificateFilter & { viewer: Viewer },
  page: PageRequest,
): Promise<Counted<CertificateRow>> {
  const shown = { list: "certificates", as: "c", columns: COLUMNS } as const;
  if (deviceId === undefined && viewer === undefined)
    return await countedPage(db, tenantId, { ...shown, variant: status }, page);
  const where = sql`${deviceId === undefined ? sql`true` : sql`c.device_id = ${deviceId}`}
    ${status === undefined ? sql`` : sql`AND (c.revoked_at IS NULL) = ${status === "active"}`}
    AND ${visibleDevice(viewer, "c.device_uid")}`;
  return await filteredPage(db, tenantId, { ...shown, where }, page);
}

const COLUMNS = sql`c.id, c.device_id, c.kind, c.serial_number, c.fingerprint_sha256, c.subject, c.publish_topics,
  c.issued_at, c.not_before, c.not_after, c.renew_after, c.issued_by, c.revoked_at, c.revoked_by, c.revocation_reason,
  c.superseded_by_id, c.last_connected_at,
  EXISTS (SELECT 1 FROM shared_mqtt_sessions s WHERE s.certificate_id = c.id) AS connected`;
