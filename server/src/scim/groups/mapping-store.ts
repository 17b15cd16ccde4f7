import { sql } from "kysely";
import type { Role } from "../../access/access.ts";
import type { Db, Tx } from "../../db/database.ts";

/** A group of the provider, and what it stands for: a role, and groups of Muster. */
export interface MappedGroup {
  id: string;
  displayName: string;
  members: number;
  role: Role | null;
  groupIds: string[];
}

/** Lists the groups of the provider by name. */
export async function listMappings(db: Db, tenantId: string): Promise<MappedGroup[]> {
  const { rows } = await sql<MappedGroup>`
    SELECT g.id, g.display_name AS "displayName", g.role, g.group_ids AS "groupIds",
           (SELECT count(*)::int FROM scim_members m WHERE m.group_id = g.id) AS members
      FROM scim_groups g WHERE g.tenant_id = ${tenantId} ORDER BY lower(g.display_name)`.execute(db);
  return rows;
}

/** Sets what a group stands for. @returns the former mapping, or `undefined` when there is no such group */
export async function setMapping(
  tx: Tx,
  tenantId: string,
  id: string,
  { role, groupIds }: Pick<MappedGroup, "role" | "groupIds">,
): Promise<Pick<MappedGroup, "displayName" | "role" | "groupIds"> | undefined> {
  const { rows } = await sql<Pick<MappedGroup, "displayName" | "role" | "groupIds">>`
    SELECT display_name AS "displayName", role, group_ids AS "groupIds" FROM scim_groups
     WHERE tenant_id = ${tenantId} AND id = ${id} FOR UPDATE`.execute(tx);
  await sql`UPDATE scim_groups SET role = ${role}, group_ids = ${groupIds}::uuid[]
    WHERE tenant_id = ${tenantId} AND id = ${id}`.execute(tx);
  return rows[0];
}

/** The rights that a user's groups at the provider stand for. */
export interface Mapped {
  userId: string;
  roles: Role[];
  groupIds: string[];
  /** Whether the present role came from such a group. */
  roleMapped: boolean;
}

/** Returns the mapping of each of these users, in the order of their ids. */
export async function mappedOf(db: Db, userIds: readonly string[]): Promise<Mapped[]> {
  const { rows } = await sql<Mapped>`
    SELECT u.id AS "userId", coalesce(s.role_mapped, false) AS "roleMapped",
           ARRAY(SELECT DISTINCT g.role FROM scim_members m JOIN scim_groups g ON g.id = m.group_id
                  WHERE m.user_id = u.id AND g.role IS NOT NULL) AS roles,
           ARRAY(SELECT DISTINCT unnest(g.group_ids)::text FROM scim_members m JOIN scim_groups g ON g.id = m.group_id
                  WHERE m.user_id = u.id) AS "groupIds"
      FROM shared_users u LEFT JOIN scim_users s ON s.user_id = u.id
     WHERE u.id = ANY (${[...userIds]}::uuid[]) AND u.deleted_at IS NULL ORDER BY u.id`.execute(db);
  return rows;
}

/** Remembers whether the role of a user comes from the provider. */
export async function setRoleMapped(tx: Tx, userId: string, mapped: boolean): Promise<void> {
  await tx.updateTable("scim_users").set({ role_mapped: mapped }).where("user_id", "=", userId).execute();
}
