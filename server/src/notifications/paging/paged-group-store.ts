import { sql } from "kysely";
import { visibleDevice } from "../../access/access.ts";
import type { Db } from "../../db/database.ts";
import { ACTIVE, absencesColumn, overridesColumn, PEOPLE, rosterColumn } from "../roster/roster-store.ts";
import type { PagedGroup } from "./recipients.ts";

/** Reads groups with the people that each may notify, by id. @param tenantId `null` for any tenant */
export async function readGroups(db: Db, tenantId: string | null, ids: string[]): Promise<PagedGroup[]> {
  const shifts = sql`SELECT gs.shift_id FROM shared_group_shifts gs WHERE gs.group_id = g.id`;
  const users = sql`
    SELECT m.user_id FROM shared_group_members m WHERE m.group_id = g.id
    UNION SELECT m.user_id FROM shared_shift_users m WHERE m.shift_id IN (${shifts})
    UNION SELECT o.user_id FROM duty_overrides o WHERE o.group_id = g.id AND o.state = 'agreed'`;
  const { rows } = await sql<PagedGroup>`
    SELECT g.id, g.name, g.escalation, g.always_pages AS "alwaysPages",
      (SELECT coalesce(jsonb_agg(jsonb_build_object('type', c.type, 'target', c.target, 'confirmed', c.confirmed,
                'disabled', c.disabled, 'failing', c.failing) ORDER BY c.position), '[]') FROM shared_group_channels c WHERE c.group_id = g.id) AS channels,
      (SELECT ${PEOPLE} FROM shared_group_members m JOIN shared_users u ON u.id = m.user_id
        WHERE m.group_id = g.id AND ${ACTIVE}) AS members,
      ${rosterColumn(shifts)}, ${overridesColumn(sql`g.id`)}, ${absencesColumn(users)}
      FROM shared_groups g
     WHERE g.id = ANY (${ids}::uuid[]) AND (${tenantId}::uuid IS NULL OR g.tenant_id = ${tenantId})
     ORDER BY g.id`.execute(db);
  return rows;
}

/** Returns the ids of the next `limit` groups after `after`, across all tenants, in order. */
export async function nextGroups(db: Db, after: string | undefined, limit: number): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    SELECT id FROM shared_groups WHERE ${after ?? null}::uuid IS NULL OR id > ${after ?? null}::uuid
     ORDER BY id LIMIT ${limit}`.execute(db);
  return rows.map(({ id }) => id);
}

/** Returns the newest groups with an escalation that `viewer` may see (`boundedToGroupsOf`). */
export async function pagingGroups(
  db: Db,
  tenantId: string,
  viewer: string | undefined,
  limit: number,
): Promise<string[]> {
  const visible =
    viewer === undefined
      ? sql``
      : sql`AND EXISTS (SELECT FROM shared_group_members m WHERE m.group_id = g.id AND m.user_id = ${viewer})`;
  const { rows } = await sql<{ id: string }>`
    SELECT g.id FROM shared_groups g WHERE g.tenant_id = ${tenantId} AND g.escalation <> '[]'::jsonb ${visible}
     ORDER BY g.id DESC LIMIT ${limit}`.execute(db);
  return rows.map(({ id }) => id);
}

/** Checks whether the user is a member of the group. */
export async function isMember(db: Db, groupId: string, userId: string): Promise<boolean> {
  const { rows } = await sql<{ member: boolean }>`
    SELECT EXISTS (SELECT FROM shared_group_members WHERE group_id = ${groupId} AND user_id = ${userId}) AS member`.execute(
    db,
  );
  return rows[0]!.member;
}

/**
 * Returns the groups of a device, or `undefined` if there is no such device that `viewer` may see
 * (`boundedToGroupsOf`).
 */
export async function groupsOfDevice(
  db: Db,
  tenantId: string,
  deviceId: string,
  viewer: string | undefined,
): Promise<string[] | undefined> {
  const { rows } = await sql<{ group_ids: string[] }>`
    SELECT ARRAY(SELECT g.group_id::text FROM shared_device_groups g WHERE g.device_uid = d.uid) AS group_ids
      FROM shared_devices d
     WHERE d.tenant_id = ${tenantId} AND d.id = ${deviceId} AND d.deleted_at IS NULL
       AND ${visibleDevice(viewer, "d.uid")}`.execute(db);
  return rows[0]?.group_ids;
}
