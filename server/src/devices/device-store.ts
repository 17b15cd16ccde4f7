import { sql } from "kysely";
import type { Db, Tx } from "../db/database.ts";
import { violatedUnique } from "../db/refusal.ts";
import { alreadyExists } from "../lib/refusals.ts";

export interface NewDeviceRow {
  uid: string;
  id: string;
  name: string;
  description: string;
  device_type_id: string | null;
  created_at: Date;
  updated_at: Date;
}

/** @throws MusterError already_exists when the tenant has a device of this id */
export async function insertDevice(tx: Tx, tenantId: string, row: NewDeviceRow): Promise<void> {
  try {
    await sql`INSERT INTO devices (uid, tenant_id, id, name, description, device_type_id, created_at, updated_at)
      VALUES (${row.uid}, ${tenantId}, ${row.id}, ${row.name}, ${row.description}, ${row.device_type_id},
              ${row.created_at}, ${row.updated_at})`.execute(tx);
  } catch (error) {
    if (violatedUnique(error) === "devices_id") throw alreadyExists("there is a device of this id already", row.id);
    throw error;
  }
}

/** Whether the tenant has this device type. It cannot vanish afterwards: types are never deleted. */
export async function hasDeviceType(db: Db, tenantId: string, id: string): Promise<boolean> {
  const row = await db
    .selectFrom("device_types")
    .select("id")
    .where("tenant_id", "=", tenantId)
    .where("id", "=", id)
    .executeTakeFirst();
  return row !== undefined;
}

/** Puts the device into those of `groupIds` that are the tenant's. @returns the ids taken */
export async function joinGroups(tx: Tx, tenantId: string, uid: string, groupIds: string[]): Promise<Set<string>> {
  const { rows } = await sql<{ group_id: string }>`
    INSERT INTO device_groups (device_uid, group_id)
    SELECT ${uid}::uuid, g.id FROM groups g WHERE g.tenant_id = ${tenantId} AND g.id = ANY (${groupIds}::uuid[])
    RETURNING group_id`.execute(tx);
  return new Set(rows.map((row) => row.group_id));
}
