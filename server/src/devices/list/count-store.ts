import { sql } from "kysely";
import { type ViewedGroups, visibleDevice } from "../../access/access.ts";
import type { Db } from "../../db/database.ts";
import { type CertificateState, certificateState } from "../certificate-state-store.ts";
import type { Connectivity } from "../device-view-store.ts";

/** The number of devices with a connectivity and a certificate state. */
export interface DeviceCountRow {
  connectivity: Connectivity;
  state: CertificateState;
  /** A bigint. */
  devices: string;
  /** The number of them that should have renewed before `overdueBefore`; a bigint. */
  overdue: string;
}

/** Counts the tenant's devices that `viewer` sees, in one pass. */
export async function countDeviceRows(
  db: Db,
  tenantId: string,
  viewer: ViewedGroups | undefined,
  { now, overdueBefore }: { now: Date; overdueBefore: Date },
): Promise<DeviceCountRow[]> {
  const { rows } = await sql<DeviceCountRow>`
    SELECT d.connectivity, ${certificateState(sql`${now}`)} AS state, count(*) AS devices,
           count(*) FILTER (WHERE d.certificate_renew_after < ${overdueBefore} AND d.certificate_until > ${now}) AS overdue
      FROM devices d WHERE d.tenant_id = ${tenantId} AND d.deleted_at IS NULL AND ${visibleDevice(viewer, "d.uid")}
     GROUP BY 1, 2`.execute(db);
  return rows;
}

/**
 * The number of devices whose last certificate expires in a week, by its kind: a device renews a self-enrolled one
 * itself.
 */
export interface ExpiryRow {
  /** The week after `from`, counted from 0. */
  week: number;
  kind: "self_enrolled" | "platform";
  /** A bigint. */
  devices: string;
}

/** Counts, by week, the certificates of devices that `viewer` sees that expire in `[from, until)`. */
export async function countExpiryRows(
  db: Db,
  tenantId: string,
  viewer: ViewedGroups | undefined,
  { from, until }: { from: Date; until: Date },
): Promise<ExpiryRow[]> {
  const { rows } = await sql<ExpiryRow>`
    SELECT floor(extract(epoch FROM d.certificate_until - ${from}::timestamptz) / 604800)::int AS week,
           d.certificate_kind AS kind, count(*) AS devices
      FROM devices d WHERE d.tenant_id = ${tenantId} AND d.deleted_at IS NULL AND ${visibleDevice(viewer, "d.uid")}
       AND d.certificate_until >= ${from} AND d.certificate_until < ${until}
     GROUP BY 1, 2`.execute(db);
  return rows;
}
