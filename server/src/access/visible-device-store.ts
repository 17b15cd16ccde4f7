import { type RawBuilder, type SqlBool, sql } from "kysely";
import type { Db } from "../db/database.ts";

/** The groups of a user who sees only the devices of these groups. */
export interface ViewedGroups {
  readonly groupIds: readonly string[];
}

/**
 * A user who sees only the devices of their groups, or a statement's parameter that holds one. Without one, every
 * device is visible.
 */
export type Viewer = string | undefined | RawBuilder<string | null | undefined>;

/**
 * Returns the groups of `viewer`, for a statement about many devices. With their values the planner can choose whether
 * to start with the groups' devices or with the list. With only a user id it cannot, and may look up the groups of a
 * million devices to find the few visible ones.
 */
export async function groupsOfViewer(db: Db, viewer: string | undefined): Promise<ViewedGroups | undefined> {
  if (viewer === undefined) return undefined;
  const { rows } = await sql<{ group_id: string }>`
    SELECT m.group_id FROM shared_group_members m WHERE m.user_id = ${viewer}::uuid`.execute(db);
  return { groupIds: rows.map(({ group_id }) => group_id) };
}

/** Returns whether the groups have more than `most` devices; a device in several groups counts once per group. */
export async function seesMoreThan(db: Db, { groupIds }: ViewedGroups, most: number): Promise<boolean> {
  const { rows } = await sql<{ more: boolean }>`
    SELECT count(*) > ${most}::bigint AS more FROM (
      SELECT FROM shared_device_groups v WHERE v.group_id = ANY (${[...groupIds]}::uuid[]) LIMIT ${most + 1}::bigint) seen`.execute(
    db,
  );
  return rows[0]!.more;
}

/**
 * Returns the SQL condition that `viewer` may see a device: a group has both as members (docs/spec-decisions.md,
 * records).
 *
 * @param viewer `boundedToGroupsOf(caller)`, or its groups
 * @param deviceUid the column that holds the device's uid, for example `d.uid`
 * @param perRow for few rows among many: checks the groups row by row (OFFSET prevents a join)
 */
export function visibleDevice(
  viewer: Viewer | ViewedGroups,
  deviceUid: string,
  { perRow = false } = {},
): RawBuilder<SqlBool> {
  if (viewer === undefined) return sql<SqlBool>`true`;
  if (typeof viewer === "object" && "groupIds" in viewer)
    return sql<SqlBool>`EXISTS (SELECT FROM shared_device_groups v
      WHERE v.device_uid = ${sql.ref(deviceUid)} AND v.group_id = ANY (${[...viewer.groupIds]}::uuid[]) ${sql.raw(perRow ? "OFFSET 0" : "")})`;
  const inGroup = sql`EXISTS (
    SELECT FROM device_viewers v WHERE v.device_uid = ${sql.ref(deviceUid)} AND v.user_id = ${viewer}::uuid)`;
  return typeof viewer === "string" ? sql<SqlBool>`${inGroup}` : sql<SqlBool>`(${viewer}::uuid IS NULL OR ${inGroup})`;
}
