import { type RawBuilder, type SqlBool, sql } from "kysely";
import type { Db } from "../db/database.ts";

/** The groups of a user who sees the devices of these only. */
export interface ViewedGroups {
  readonly groupIds: readonly string[];
}

/** A user who sees only the devices of their groups, or a statement's parameter that holds one; none: every device is visible. */
export type Viewer = string | undefined | RawBuilder<string | null | undefined>;

/**
 * The groups of `viewer`, for a statement about many devices: from their values PostgreSQL knows whether it is cheaper to begin with the
 * groups' devices or with the list. Of a user it knows nothing, and may look up the groups of a million devices for the few that are visible.
 */
export async function groupsOfViewer(db: Db, viewer: string | undefined): Promise<ViewedGroups | undefined> {
  if (viewer === undefined) return undefined;
  const { rows } = await sql<{ group_id: string }>`
    SELECT m.group_id FROM shared_group_members m WHERE m.user_id = ${viewer}::uuid`.execute(db);
  return { groupIds: rows.map(({ group_id }) => group_id) };
}

/** Whether the groups have more than `most` devices; one of several groups counts as often. */
export async function seesMoreThan(db: Db, { groupIds }: ViewedGroups, most: number): Promise<boolean> {
  const { rows } = await sql<{ more: boolean }>`
    SELECT count(*) > ${most}::bigint AS more FROM (
      SELECT FROM shared_device_groups v WHERE v.group_id = ANY (${[...groupIds]}::uuid[]) LIMIT ${most + 1}::bigint) seen`.execute(
    db,
  );
  return rows[0]!.more;
}

/**
 * The SQL condition that `viewer` may see a device: one group has both as members (docs/spec-decisions.md, records).
 *
 * @param viewer `boundedToGroupsOf(caller)`, or its groups
 * @param deviceUid the column that holds the device's uid, for example `d.uid`
 * @param perRow for few rows among many: reads the groups of each (OFFSET keeps PostgreSQL from joining)
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
