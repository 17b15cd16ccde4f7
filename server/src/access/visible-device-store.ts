import { type RawBuilder, type SqlBool, sql } from "kysely";

/** A user who sees only the devices of their groups, or a statement's parameter that holds one; none: every device is visible. */
export type Viewer = string | undefined | RawBuilder<string | null | undefined>;

/**
 * The SQL condition that `viewer` may see a device: one group has both as members (docs/spec-decisions.md, records).
 *
 * @param viewer `boundedToGroupsOf(caller)`
 * @param deviceUid the column that holds the device's uid, for example `d.uid`
 */
export function visibleDevice(viewer: Viewer, deviceUid: string): RawBuilder<SqlBool> {
  if (viewer === undefined) return sql<SqlBool>`true`;
  const inGroup = sql`EXISTS (
    SELECT FROM device_viewers v WHERE v.device_uid = ${sql.ref(deviceUid)} AND v.user_id = ${viewer}::uuid)`;
  return typeof viewer === "string" ? sql<SqlBool>`${inGroup}` : sql<SqlBool>`(${viewer}::uuid IS NULL OR ${inGroup})`;
}
