import { type RawBuilder, type SqlBool, sql } from "kysely";
import { type Viewer, visibleDevice } from "../../access/access.ts";
import type { Db, Tx } from "../../db/database.ts";
import type { PageRequest } from "../../lib/page.ts";
import type { WindowTimes } from "./window-calendar.ts";
import type { Covers, WindowRow } from "./window-record.ts";

/** SQL: the columns of a {@link WindowRow} of `w`, with the devices that `viewer` may see. */
const columns = (
  viewer: Viewer,
) => sql`w.id, w.name, w.covers, w.group_id AS "groupId", w.device_type_id AS "deviceTypeId",
  ARRAY(SELECT d.id FROM maintenance_window_devices c JOIN shared_devices d ON d.uid = c.device_uid
         WHERE c.window_id = w.id AND d.deleted_at IS NULL AND ${visibleDevice(viewer, "d.uid")} ORDER BY d.id) AS "deviceIds",
  w.starts_at AS "startsAt", w.ends_at AS "endsAt", w.recurrence, w.skipped_until AS "skippedUntil",
  w.extended_from AS "extendedFrom", w.extended_until AS "extendedUntil", w.holds_critical AS "holdsCritical",
  w.created_at AS "createdAt", w.created_by AS "createdBy"`;

/** SQL: `viewer` sees window `w`: it covers everything, a type, a group of theirs or a device that they see. */
function visibleWindow(viewer: Viewer): RawBuilder<SqlBool> {
  if (viewer === undefined) return sql<SqlBool>`true`;
  return sql<SqlBool>`CASE w.covers
    WHEN 'group' THEN EXISTS (SELECT FROM shared_group_members m WHERE m.group_id = w.group_id AND m.user_id = ${viewer}::uuid)
    WHEN 'devices' THEN EXISTS (SELECT FROM maintenance_window_devices c
      WHERE c.window_id = w.id AND ${visibleDevice(viewer, "c.device_uid")})
    ELSE true END`;
}

/** SQL: window `w` covers device `d`, a row with `uid`, `tenant_id` and `device_type_id`. */
export const coversDevice = sql<SqlBool>`(w.tenant_id = d.tenant_id AND CASE w.covers
  WHEN 'all' THEN true
  WHEN 'group' THEN EXISTS (SELECT FROM shared_device_groups g WHERE g.device_uid = d.uid AND g.group_id = w.group_id)
  WHEN 'deviceType' THEN w.device_type_id = d.device_type_id
  ELSE EXISTS (SELECT FROM maintenance_window_devices c WHERE c.window_id = w.id AND c.device_uid = d.uid) END)`;

/** A window to insert. */
export interface NewWindowRow extends Pick<WindowRow, "id" | "name" | "covers" | "groupId" | "deviceTypeId"> {
  startsAt: Date | null;
  endsAt: Date | null;
  recurrence: WindowTimes["recurrence"];
  holdsCritical: boolean;
  createdBy: string;
}

export async function insertWindow(tx: Tx, tenantId: string, row: NewWindowRow, now: Date): Promise<void> {
  await sql`
    INSERT INTO maintenance_windows (id, tenant_id, name, covers, group_id, device_type_id, starts_at, ends_at,
                                     recurrence, holds_critical, created_at, created_by, updated_at)
    VALUES (${row.id}, ${tenantId}, ${row.name}, ${row.covers}, ${row.groupId}, ${row.deviceTypeId}, ${row.startsAt},
            ${row.endsAt}, ${row.recurrence === null ? null : JSON.stringify(row.recurrence)}::jsonb, ${row.holdsCritical},
            ${now}, ${row.createdBy}, ${now})`.execute(tx);
}

/** Returns the id among those given that the tenant does not have, or `null`. */
export async function unknownCovered(
  tx: Tx,
  tenantId: string,
  { groupId, deviceTypeId }: Pick<WindowRow, "groupId" | "deviceTypeId">,
): Promise<string | null> {
  const { rows } = await sql<{ unknown: string | null }>`
    SELECT CASE
      WHEN NOT EXISTS (SELECT FROM shared_groups g WHERE g.tenant_id = ${tenantId} AND g.id = ${groupId}::uuid)
      THEN ${groupId}::text END AS unknown
    UNION ALL SELECT CASE
      WHEN NOT EXISTS (SELECT FROM shared_device_types t WHERE t.tenant_id = ${tenantId} AND t.id = ${deviceTypeId}::uuid)
      THEN ${deviceTypeId}::text END`.execute(tx);
  return rows.find(({ unknown }) => unknown !== null)?.unknown ?? null;
}

/** Returns those of the devices that `viewer` may see, by id. */
export async function findDevices(
  tx: Tx,
  tenantId: string,
  deviceIds: readonly string[],
  viewer: Viewer,
): Promise<Map<string, string>> {
  const { rows } = await sql<{ id: string; uid: string }>`
    SELECT d.id, d.uid FROM shared_devices d
     WHERE d.tenant_id = ${tenantId} AND d.id = ANY (${[...deviceIds]}::text[]) AND d.deleted_at IS NULL
       AND ${visibleDevice(viewer, "d.uid")}`.execute(tx);
  return new Map(rows.map(({ id, uid }) => [id, uid]));
}

export async function addDevices(tx: Tx, tenantId: string, windowId: string, uids: readonly string[]): Promise<void> {
  await sql`INSERT INTO maintenance_window_devices (tenant_id, window_id, device_uid)
    SELECT ${tenantId}::uuid, ${windowId}::uuid, uid FROM unnest(${[...uids]}::uuid[]) AS u (uid)`.execute(tx);
}

/** Locks a window that `viewer` may see and returns it. */
export async function lockWindow(tx: Tx, tenantId: string, id: string, viewer: Viewer): Promise<WindowRow | undefined> {
  await sql`SELECT FROM maintenance_windows WHERE tenant_id = ${tenantId} AND id = ${id} FOR UPDATE`.execute(tx);
  return await findWindow(tx, tenantId, id, viewer);
}

/** Finds a window that `viewer` may see. */
export async function findWindow(db: Db, tenantId: string, id: string, viewer: Viewer): Promise<WindowRow | undefined> {
  const { rows } = await sql<WindowRow>`
    SELECT ${columns(viewer)} FROM maintenance_windows w
     WHERE w.tenant_id = ${tenantId} AND w.id = ${id} AND ${visibleWindow(viewer)}`.execute(db);
  return rows[0];
}

/** A query for windows: those that cover the device, or that name the group or everything. */
export interface WindowQuery extends PageRequest {
  deviceId?: string | undefined;
  groupId?: string | undefined;
  /** Leaves out windows that have ended. */
  unended?: boolean | undefined;
}

/** Lists one page of the windows that `viewer` may see, newest first, and the number of matches. A quota bounds it. */
export async function listWindowRows(
  db: Db,
  tenantId: string,
  { deviceId, groupId, unended, viewer, now, skip, limit }: WindowQuery & { viewer: Viewer; now: Date },
): Promise<{ rows: WindowRow[]; total: number }> {
  const conditions = [sql`w.tenant_id = ${tenantId}`, visibleWindow(viewer)];
  if (unended) conditions.push(sql`(w.ends_at IS NULL OR w.ends_at > ${now})`);
  if (groupId !== undefined)
    conditions.push(sql`(w.group_id = ${groupId} OR w.covers = 'all'
      AND EXISTS (SELECT FROM shared_groups g WHERE g.tenant_id = ${tenantId} AND g.id = ${groupId}))`);
  if (deviceId !== undefined)
    conditions.push(sql`EXISTS (SELECT FROM shared_devices d WHERE d.tenant_id = ${tenantId} AND d.id = ${deviceId}
      AND d.deleted_at IS NULL AND ${visibleDevice(viewer, "d.uid")} AND ${coversDevice})`);
  const where = sql.join(conditions, sql` AND `);
  const { rows } = await sql<WindowRow>`
    SELECT ${columns(viewer)} FROM maintenance_windows w WHERE ${where}
     ORDER BY w.id DESC LIMIT ${limit} OFFSET ${skip}`.execute(db);
  const total = await sql<{ n: number }>`SELECT count(*)::int AS n FROM maintenance_windows w WHERE ${where}`.execute(
    db,
  );
  return { rows, total: total.rows[0]!.n };
}

/** The values of a window that change after its creation. */
export type WindowChange = Pick<WindowRow, "name" | "holdsCritical"> & WindowTimes;

export async function updateWindowRow(
  tx: Tx,
  tenantId: string,
  id: string,
  to: WindowChange,
  now: Date,
): Promise<void> {
  await sql`
    UPDATE maintenance_windows SET name = ${to.name}, holds_critical = ${to.holdsCritical}, starts_at = ${to.startsAt},
           ends_at = ${to.endsAt}, recurrence = ${to.recurrence === null ? null : JSON.stringify(to.recurrence)}::jsonb,
           skipped_until = ${to.skippedUntil}, extended_from = ${to.extendedFrom}, extended_until = ${to.extendedUntil},
           updated_at = ${now}
     WHERE tenant_id = ${tenantId} AND id = ${id}`.execute(tx);
}

export async function deleteWindowRow(tx: Tx, tenantId: string, id: string): Promise<void> {
  await sql`DELETE FROM maintenance_windows WHERE tenant_id = ${tenantId} AND id = ${id}`.execute(tx);
}

/** Deletes up to `limit` windows that ended before `before`. @returns their number */
export async function deleteEndedWindows(db: Db, before: Date, limit: number): Promise<number> {
  const { rows } = await sql`
    DELETE FROM maintenance_windows WHERE id = ANY (ARRAY(
      SELECT id FROM maintenance_windows WHERE ends_at < ${before} ORDER BY ends_at LIMIT ${limit}))
    RETURNING 1`.execute(db);
  return rows.length;
}

/** The facts on which a caller's right to change a window depends. */
export interface Coverage {
  covers: Covers;
  groupId: string | null;
}

/** Returns whether a user is a member of the group, or sees every device of the window. */
export async function seesAllCovered(
  tx: Tx,
  windowId: string,
  { covers, groupId }: Coverage,
  userId: string,
): Promise<boolean> {
  const { rows } = await sql<{ sees: boolean }>`
    SELECT CASE ${covers}::text
      WHEN 'group' THEN EXISTS (SELECT FROM shared_group_members m WHERE m.group_id = ${groupId}::uuid AND m.user_id = ${userId}::uuid)
      WHEN 'devices' THEN NOT EXISTS (SELECT FROM maintenance_window_devices c
        WHERE c.window_id = ${windowId} AND NOT ${visibleDevice(userId, "c.device_uid")})
      ELSE false END AS sees`.execute(tx);
  return rows[0]!.sees;
}
