import { type RawBuilder, sql } from "kysely";
import type { Db, Tx } from "../../db/database.ts";
import { violatedUnique } from "../../db/refusal.ts";
import { isUuid } from "../../lib/ids.ts";
import { ScimRefusal } from "../protocol/refusal.ts";
import type { ListQuery } from "../resource.ts";

export interface GroupRow {
  id: string;
  display_name: string;
  external_id: string | null;
  created_at: Date;
  modified_at: Date;
  /** The ids of the members. */
  members: string[];
}

const COLUMNS = sql`g.id, g.display_name, g.external_id, g.created_at, g.modified_at,
  ARRAY(SELECT m.user_id::text FROM scim_members m JOIN shared_users u ON u.id = m.user_id
         WHERE m.group_id = g.id AND u.deleted_at IS NULL ORDER BY m.user_id) AS members`;

export async function findGroupRow(db: Db, tenantId: string, id: string): Promise<GroupRow | undefined> {
  if (!isUuid(id)) return undefined;
  const { rows } = await sql<GroupRow>`
    SELECT ${COLUMNS} FROM scim_groups g WHERE g.tenant_id = ${tenantId} AND g.id = ${id}`.execute(db);
  return rows[0];
}

/** Locks a group until the transaction ends. @returns whether the tenant has it */
export async function lockGroup(tx: Tx, tenantId: string, id: string): Promise<boolean> {
  if (!isUuid(id)) return false;
  const found = tx.selectFrom("scim_groups").select("id").where("tenant_id", "=", tenantId).where("id", "=", id);
  return (await found.forUpdate().executeTakeFirst()) !== undefined;
}

/** Lists groups, oldest first. @throws ScimRefusal invalidFilter */
export async function listGroupRows(
  db: Db,
  tenantId: string,
  { filter, startIndex, count }: ListQuery,
): Promise<{ rows: GroupRow[]; total: number }> {
  const from = sql`FROM scim_groups g WHERE g.tenant_id = ${tenantId} AND ${filter ? conditionOf(filter) : sql`true`}`;
  const counted = await sql<{ total: number }>`SELECT count(*)::int AS total ${from}`.execute(db);
  const { rows } = await sql<GroupRow>`
    SELECT ${COLUMNS} ${from} ORDER BY g.created_at, g.id LIMIT ${count} OFFSET ${startIndex - 1}`.execute(db);
  return { rows, total: counted.rows[0]!.total };
}

function conditionOf({ attribute, value }: NonNullable<ListQuery["filter"]>): RawBuilder<unknown> {
  const text = String(value);
  switch (attribute) {
    case "id":
      return sql`g.id::text = ${text}`;
    case "displayname":
      return sql`lower(g.display_name) = lower(${text}::text)`;
    case "externalid":
      return sql`g.external_id = ${text}`;
    case "members":
    case "members.value":
      return sql`EXISTS (SELECT FROM scim_members m WHERE m.group_id = g.id AND m.user_id::text = ${text})`;
    default:
      throw new ScimRefusal("invalidFilter", `Groups cannot be filtered by ${attribute}.`);
  }
}

export async function countGroups(tx: Tx, tenantId: string): Promise<number> {
  const { rows } = await sql<{ groups: number }>`
    SELECT count(*)::int AS groups FROM scim_groups WHERE tenant_id = ${tenantId}`.execute(tx);
  return rows[0]!.groups;
}

/** Adds or changes a group. @throws ScimRefusal uniqueness */
export async function writeGroup(
  tx: Tx,
  group: { tenantId: string; id: string; displayName: string; externalId: string | null; now: Date },
): Promise<void> {
  const { tenantId, id, displayName, externalId, now } = group;
  try {
    await sql`
      INSERT INTO scim_groups (id, tenant_id, display_name, external_id, created_at, modified_at)
      VALUES (${id}, ${tenantId}, ${displayName}, ${externalId}, ${now}, ${now})
      ON CONFLICT (id) DO UPDATE SET display_name = excluded.display_name, external_id = excluded.external_id,
        modified_at = excluded.modified_at`.execute(tx);
  } catch (error) {
    if (violatedUnique(error)) throw new ScimRefusal("uniqueness", "There is already a group with this displayName.");
    throw error;
  }
}

/** Replaces the members by those ids that are users of the tenant. @returns the ids that are not */
export async function setGroupMembers(tx: Tx, tenantId: string, id: string, userIds: string[]): Promise<string[]> {
  const known = userIds.filter(isUuid);
  await sql`DELETE FROM scim_members WHERE group_id = ${id} AND NOT user_id = ANY (${known}::uuid[])`.execute(tx);
  await sql`
    INSERT INTO scim_members (group_id, user_id)
    SELECT ${id}::uuid, u.id FROM shared_users u
     WHERE u.tenant_id = ${tenantId} AND u.deleted_at IS NULL AND u.id = ANY (${known}::uuid[])
    ON CONFLICT DO NOTHING`.execute(tx);
  const members = new Set((await findGroupRow(tx, tenantId, id))!.members);
  return userIds.filter((each) => !members.has(each.toLowerCase()));
}

export async function deleteGroupRow(tx: Tx, tenantId: string, id: string): Promise<void> {
  await tx.deleteFrom("scim_groups").where("tenant_id", "=", tenantId).where("id", "=", id).execute();
}
