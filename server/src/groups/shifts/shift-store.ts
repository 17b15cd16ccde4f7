import { type RawBuilder, type SqlBool, sql } from "kysely";
import type { Viewer } from "../../access/access.ts";
import type { Db, Tx } from "../../db/database.ts";
import { unlessTaken } from "../../db/refusal.ts";
import type { ShiftsTable } from "../../db/schema.generated.ts";
import type { PageRequest } from "../../lib/page.ts";
import { type Counted, contains, countedPage, filteredPage } from "../../lists/counted-page.ts";
import { searchPage } from "../../lists/search-page.ts";

export interface ShiftRow extends Omit<ShiftsTable, "tenant_id" | "created_at" | "updated_at" | "layer"> {
  layer: number;
  user_ids: string[];
  group_ids: string[];
}

export async function insertShift(
  tx: Tx,
  tenantId: string,
  row: Omit<ShiftRow, "user_ids" | "group_ids">,
  now: Date,
): Promise<void> {
  const insert = tx
    .insertInto("shifts")
    .values({ ...row, rotation: jsonOrNull(row.rotation), tenant_id: tenantId, created_at: now, updated_at: now });
  await unlessTaken("shifts_external_id", row.external_id, () => insert.execute());
}

/** Returns the SQL of a value of a `jsonb` column. */
export function jsonOrNull<Value extends object>(value: Value | null): RawBuilder<Value> | null {
  return value === null ? null : sql<Value>`${JSON.stringify(value)}::jsonb`;
}

/**
 * Adds those of `userIds` to the shift that are users of the tenant. Fires `shift_users_release_deferred`.
 *
 * @returns the added ids
 */
export async function addUsers(tx: Tx, tenantId: string, shiftId: string, userIds: string[]): Promise<Set<string>> {
  const { rows } = await sql<{ user_id: string }>`
    INSERT INTO shift_users (tenant_id, shift_id, user_id)
    SELECT u.tenant_id, ${shiftId}::uuid, u.id FROM shared_users u
     WHERE u.tenant_id = ${tenantId} AND u.deleted_at IS NULL AND u.id = ANY (${userIds}::uuid[])
    RETURNING user_id`.execute(tx);
  return new Set(rows.map((row) => row.user_id));
}

/** Finds the shift if `viewer` may see it. */
export async function findShift(db: Db, tenantId: string, id: string, viewer: Viewer): Promise<ShiftRow | undefined> {
  const { rows } = await sql<ShiftRow>`
    SELECT ${COLUMNS} FROM shifts s
     WHERE s.tenant_id = ${tenantId} AND s.id = ${id} AND ${visibleShift(viewer)}`.execute(db);
  return rows[0];
}

/** SQL: shift `s` is assigned to a group of `viewer`, to `viewer`, or to no group yet; or `viewer` sees every shift. */
function visibleShift(viewer: Viewer): RawBuilder<SqlBool> {
  if (viewer === undefined) return sql<SqlBool>`true`;
  return sql<SqlBool>`(NOT EXISTS (SELECT FROM group_shifts v WHERE v.shift_id = s.id)
    OR EXISTS (SELECT FROM group_shifts v JOIN group_members m ON m.group_id = v.group_id
                WHERE v.shift_id = s.id AND m.user_id = ${viewer}::uuid)
    OR EXISTS (SELECT FROM shift_users v WHERE v.shift_id = s.id AND v.user_id = ${viewer}::uuid))`;
}

/** A query for shifts. `q` is a part of the name, case-insensitive; `groupId` selects the shifts of a group. */
export interface ShiftQuery extends PageRequest {
  q?: string | undefined;
  groupId?: string | undefined;
}

/** Lists one page of the shifts that `viewer` may see, newest first, and the total number of matches. */
export async function listShiftRows(
  db: Db,
  tenantId: string,
  { q, groupId, viewer, ...page }: ShiftQuery & { viewer?: Viewer },
): Promise<Counted<ShiftRow>> {
  const shown = { list: "shifts", as: "s", columns: COLUMNS } as const;
  const onGroup = sql`EXISTS (SELECT FROM group_shifts o WHERE o.shift_id = s.id AND o.group_id = ${groupId ?? null}::uuid)`;
  const within = groupId === undefined ? visibleShift(viewer) : sql<SqlBool>`${visibleShift(viewer)} AND ${onGroup}`;
  if (q) return await searchPage(db, tenantId, { ...shown, within, matches: contains("s.name", q) }, page);
  if (viewer !== undefined || groupId !== undefined)
    return await filteredPage(db, tenantId, { ...shown, where: within }, page);
  return await countedPage<ShiftRow>(db, tenantId, shown, page);
}

/**
 * Assigns the shift to the group, if it is the tenant's. The caller has locked the group's row. Fires
 * `group_shifts_release_deferred`.
 *
 * @returns whether it was newly assigned or already present; `undefined` if the tenant has no such shift
 */
export async function addShift(
  tx: Tx,
  tenantId: string,
  groupId: string,
  shiftId: string,
): Promise<"added" | "present" | undefined> {
  const { rows } = await sql<{ added: boolean }>`
    WITH shift AS (SELECT id, tenant_id FROM shifts WHERE tenant_id = ${tenantId} AND id = ${shiftId}),
    added AS (INSERT INTO group_shifts (tenant_id, group_id, shift_id)
      SELECT tenant_id, ${groupId}::uuid, id FROM shift ON CONFLICT DO NOTHING RETURNING shift_id)
    SELECT EXISTS (SELECT 1 FROM added) AS added FROM shift`.execute(tx);
  const [row] = rows;
  return row && (row.added ? "added" : "present");
}

/** SQL: the columns of a shift, without deleted users. */
const COLUMNS = sql`s.id, s.name, s.external_id, s.time_zone, s.start_time, s.end_time, s.days_of_week,
  s.layer, s.rotation,
  s.valid_from::text AS valid_from, s.valid_until::text AS valid_until,
  ARRAY(SELECT m.user_id::text FROM shift_users m JOIN shared_users u ON u.id = m.user_id
         WHERE m.shift_id = s.id AND u.deleted_at IS NULL ORDER BY m.user_id) AS user_ids,
  ARRAY(SELECT g.group_id::text FROM group_shifts g WHERE g.shift_id = s.id ORDER BY g.group_id) AS group_ids`;
