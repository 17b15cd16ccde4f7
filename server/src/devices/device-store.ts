import { sql } from "kysely";
import { spendAllowance, visibleDevice } from "../access/access.ts";
import type { Db, Tx } from "../db/database.ts";
import { violatedUnique } from "../db/refusal.ts";
import { alreadyExists } from "../lib/request-errors.ts";
import type { Metadata } from "./metadata.ts";

export interface NewDeviceRow {
  uid: string;
  id: string;
  name: string;
  description: string;
  device_type_id: string | null;
  metadata: Metadata;
  created_at: Date;
  updated_at: Date;
}

/**
 * @param round the round for {@link spendAllowance}
 * @throws MusterError already_exists when the tenant has a device with this id
 */
export async function insertDevice(tx: Tx, tenantId: string, row: NewDeviceRow, round: string | null): Promise<void> {
  try {
    await sql`INSERT INTO devices (uid, tenant_id, id, name, description, device_type_id, metadata, created_at, updated_at)
      VALUES (${row.uid}, ${tenantId}, ${row.id}, ${row.name}, ${row.description}, ${row.device_type_id},
              ${JSON.stringify(row.metadata)}::jsonb, ${row.created_at}, ${row.updated_at})
      RETURNING ${spendAllowance(sql`${tenantId}`, "devices", sql`${round}`)}`.execute(tx);
  } catch (error) {
    if (violatedUnique(error) === "devices_id") throw alreadyExists("There is already a device with this id.", row.id);
    throw error;
  }
}

/**
 * Locks the row of a live device until the transaction ends. Every transaction that changes an existing device, or
 * issues or revokes its certificates, takes this lock first.
 *
 * @param viewer restricts the look-up to devices that this user sees
 * @returns the device's uid; `undefined` when the tenant, or the user, has no such device
 */
export async function lockDevice(tx: Tx, tenantId: string, id: string, viewer?: string): Promise<string | undefined> {
  const { rows } = await sql<{ uid: string }>`
    SELECT d.uid FROM devices d WHERE d.tenant_id = ${tenantId} AND d.id = ${id} AND d.deleted_at IS NULL
       AND ${visibleDevice(viewer, "d.uid")}
       FOR NO KEY UPDATE OF d`.execute(tx);
  return rows[0]?.uid;
}

/** The devices of a request: those of these ids, of a group, or of a type. */
export type DeviceSelection = { ids: readonly string[] } | { groupId: string } | { deviceTypeId: string };

export interface LockedDevice {
  uid: string;
  id: string;
  /** The templates of the topics that the type allows the device to subscribe to. */
  subscribeTopics: string[];
}

/** Locks the selected live devices, as {@link lockDevice} does, in one order. @returns at most one more than `most` */
export async function lockDevices(
  tx: Tx,
  tenantId: string,
  selection: DeviceSelection,
  { viewer, most }: { viewer: string | undefined; most: number },
): Promise<LockedDevice[]> {
  const selected =
    "ids" in selection
      ? sql`d.id = ANY (${[...selection.ids]}::text[])`
      : "groupId" in selection
        ? sql`EXISTS (SELECT FROM device_groups g WHERE g.device_uid = d.uid AND g.group_id = ${selection.groupId}::uuid)`
        : sql`d.device_type_id = ${selection.deviceTypeId}::uuid`;
  const { rows } = await sql<LockedDevice>`
    SELECT d.uid, d.id, coalesce(y.subscribe_topics, '{}') AS "subscribeTopics"
      FROM devices d LEFT JOIN device_types y ON y.id = d.device_type_id
     WHERE d.tenant_id = ${tenantId} AND d.deleted_at IS NULL AND ${selected} AND ${visibleDevice(viewer, "d.uid")}
     ORDER BY d.uid LIMIT ${most + 1}::bigint FOR NO KEY UPDATE OF d`.execute(tx);
  return rows;
}

/** Locks the row of a device, live or deleted, as {@link lockDevice} does. */
export async function lockDeviceRecord(tx: Tx, tenantId: string, uid: string): Promise<void> {
  await tx
    .selectFrom("devices")
    .select("uid")
    .where("tenant_id", "=", tenantId)
    .where("uid", "=", uid)
    .forNoKeyUpdate()
    .execute();
}

/** Locks the rows of these devices, of every tenant, in one order. @returns the uids of the locked ones */
export async function lockDeviceRecords(tx: Tx, uids: readonly string[]): Promise<string[]> {
  const { rows } = await sql<{ uid: string }>`
    SELECT uid FROM devices WHERE uid = ANY (${[...uids]}::uuid[]) ORDER BY uid FOR NO KEY UPDATE`.execute(tx);
  return rows.map(({ uid }) => uid);
}

/**
 * Marks a live device deleted and removes it from its groups; this locks its row like {@link lockDevice}. Its id and
 * hardware fingerprint become available; the row stays, because audit entries refer to it. Fires `devices_deleted`.
 *
 * @returns the device; `undefined` when the tenant has no such device
 */
export async function retireDevice(
  tx: Tx,
  tenantId: string,
  id: string,
  now: Date,
): Promise<{ uid: string; name: string; deviceTypeId: string | null } | undefined> {
  const row = await tx
    .updateTable("devices")
    .set({ deleted_at: now, updated_at: now })
    .where("tenant_id", "=", tenantId)
    .where("id", "=", id)
    .where("deleted_at", "is", null)
    .returning(["uid", "name", "device_type_id as deviceTypeId"])
    .executeTakeFirst();
  if (row !== undefined) await tx.deleteFrom("device_groups").where("device_uid", "=", row.uid).execute();
  return row;
}

export interface DeviceReplacement {
  name: string;
  description: string;
  device_type_id: string | null;
  metadata: Record<string, unknown>;
  updated_at: Date;
}

/**
 * Replaces the device's own columns and removes it from all groups and threshold packs. Fires
 * `device_thresholds_unassigned`, `devices_metadata_changed`, `devices_seen_or_of_another_type`,
 * `devices_type_changed`.
 */
export async function replaceDeviceRow(tx: Tx, tenantId: string, uid: string, row: DeviceReplacement): Promise<void> {
  await sql`UPDATE devices SET name = ${row.name}, description = ${row.description},
      device_type_id = ${row.device_type_id}::uuid, metadata = ${JSON.stringify(row.metadata)}::text::jsonb,
      updated_at = ${row.updated_at}
    WHERE tenant_id = ${tenantId} AND uid = ${uid}`.execute(tx);
  await tx.deleteFrom("device_groups").where("device_uid", "=", uid).execute();
  await tx.deleteFrom("device_thresholds").where("tenant_id", "=", tenantId).where("device_uid", "=", uid).execute();
}

/**
 * Assigns those `thresholdIds` that are the tenant's to the device; waits for a concurrent deletion. Fires
 * `device_thresholds_assigned`.
 *
 * @returns the assigned ids
 */
export async function assignPacks(tx: Tx, tenantId: string, uid: string, thresholdIds: string[]): Promise<Set<string>> {
  const { rows } = await sql<{ threshold_id: string }>`
    INSERT INTO device_thresholds (tenant_id, device_uid, threshold_id)
    SELECT t.tenant_id, ${uid}::uuid, t.id FROM shared_thresholds t
     WHERE t.tenant_id = ${tenantId} AND t.id = ANY (${thresholdIds}::uuid[])
       FOR KEY SHARE OF t
    RETURNING threshold_id`.execute(tx);
  return new Set(rows.map((row) => row.threshold_id));
}

/** Returns whether the tenant has this device type; it cannot be deleted until the transaction ends. */
export async function hasDeviceType(db: Db, tenantId: string, id: string): Promise<boolean> {
  const row = await db
    .selectFrom("device_types")
    .select("id")
    .where("tenant_id", "=", tenantId)
    .where("id", "=", id)
    .forKeyShare()
    .executeTakeFirst();
  return row !== undefined;
}

/** Adds the device to those `groupIds` that are the tenant's. @returns the joined ids */
export async function joinGroups(tx: Tx, tenantId: string, uid: string, groupIds: string[]): Promise<Set<string>> {
  const { rows } = await sql<{ group_id: string }>`
    INSERT INTO device_groups (device_uid, group_id)
    SELECT ${uid}::uuid, g.id FROM shared_groups g WHERE g.tenant_id = ${tenantId} AND g.id = ANY (${groupIds}::uuid[])
    RETURNING group_id`.execute(tx);
  return new Set(rows.map((row) => row.group_id));
}
