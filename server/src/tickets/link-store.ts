import { sql } from "kysely";
import { visibleDevice } from "../access/access.ts";
import type { Db, Tx } from "../db/database.ts";

export interface DeviceRef {
  uid: string;
  id: string;
}

/**
 * Locks and returns the tenant's device `id`, if `viewer` (a user; undefined for every device) may see it. The row lock
 * prevents deletion, which locks the device before its anomalies, as a ticket does.
 */
export async function lockDevice(
  tx: Tx,
  tenantId: string,
  id: string,
  viewer: string | undefined,
): Promise<DeviceRef | undefined> {
  const { rows } = await sql<DeviceRef>`
    SELECT d.uid, d.id FROM shared_devices d
     WHERE d.tenant_id = ${tenantId} AND d.id = ${id} AND d.deleted_at IS NULL AND ${visibleDevice(viewer, "d.uid")}
       FOR KEY SHARE OF d`.execute(tx);
  return rows[0];
}

/** Locks and returns the device of the tenant's anomaly `id`, even if it is deleted; see {@link lockDevice}. */
export async function lockDeviceOfAnomaly(
  tx: Tx,
  tenantId: string,
  id: string,
  viewer: string | undefined,
): Promise<DeviceRef | undefined> {
  const { rows } = await sql<DeviceRef>`
    SELECT d.uid, d.id FROM shared_anomalies a JOIN shared_devices d ON d.uid = a.device_uid
     WHERE a.tenant_id = ${tenantId} AND a.id = ${id} AND ${visibleDevice(viewer, "d.uid")}
       FOR KEY SHARE OF d`.execute(tx);
  return rows[0];
}

/** Checks whether the tenant has this group and `viewer` (a user; undefined for every group) is a member. */
export async function isGroup(db: Db, tenantId: string, id: string, viewer: string | undefined): Promise<boolean> {
  const { rows } = await sql`
    SELECT FROM shared_groups g WHERE g.tenant_id = ${tenantId} AND g.id = ${id} AND ${
      viewer === undefined
        ? sql`true`
        : sql`EXISTS (SELECT FROM shared_group_members m WHERE m.group_id = g.id AND m.user_id = ${viewer}::uuid)`
    }`.execute(db);
  return rows.length > 0;
}

/** Checks whether the tenant has this user, and that it is not deleted. */
export async function isUser(db: Db, tenantId: string, id: string): Promise<boolean> {
  const query = db.selectFrom("shared_users").select("id").where("tenant_id", "=", tenantId).where("id", "=", id);
  return (await query.where("deleted_at", "is", null).executeTakeFirst()) !== undefined;
}
