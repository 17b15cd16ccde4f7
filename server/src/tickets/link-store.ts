import { sql } from "kysely";
import type { Db, Tx } from "../db/database.ts";
import { seesDevice } from "./visibility-store.ts";

export interface DeviceRef {
  uid: string;
  id: string;
}

/**
 * The tenant's device `id`, if `boundedTo` (a user; undefined: no bounds) may see it. Its row is held against a deletion,
 * which takes the device before its anomalies, as we do.
 */
export async function holdDevice(
  tx: Tx,
  tenantId: string,
  id: string,
  boundedTo: string | undefined,
): Promise<DeviceRef | undefined> {
  const { rows } = await sql<DeviceRef>`
    SELECT d.uid, d.id FROM devices d
     WHERE d.tenant_id = ${tenantId} AND d.id = ${id} AND d.deleted_at IS NULL AND ${seesDevice(boundedTo, sql`d.uid`)}
       FOR KEY SHARE OF d`.execute(tx);
  return rows[0];
}

/** The device of the tenant's anomaly `id`, which may be deleted by now; seen and held as in {@link holdDevice}. */
export async function holdDeviceOfAnomaly(
  tx: Tx,
  tenantId: string,
  id: string,
  boundedTo: string | undefined,
): Promise<DeviceRef | undefined> {
  const { rows } = await sql<DeviceRef>`
    SELECT d.uid, d.id FROM anomalies a JOIN devices d ON d.uid = a.device_uid
     WHERE a.tenant_id = ${tenantId} AND a.id = ${id} AND ${seesDevice(boundedTo, sql`d.uid`)}
       FOR KEY SHARE OF d`.execute(tx);
  return rows[0];
}

export async function isGroup(db: Db, tenantId: string, id: string): Promise<boolean> {
  const query = db.selectFrom("groups").select("id").where("tenant_id", "=", tenantId).where("id", "=", id);
  return (await query.executeTakeFirst()) !== undefined;
}

/** Whether the tenant has this user, not deleted. */
export async function isUser(db: Db, tenantId: string, id: string): Promise<boolean> {
  const query = db.selectFrom("users").select("id").where("tenant_id", "=", tenantId).where("id", "=", id);
  return (await query.where("deleted_at", "is", null).executeTakeFirst()) !== undefined;
}
