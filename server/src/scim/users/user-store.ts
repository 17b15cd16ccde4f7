import { type RawBuilder, sql } from "kysely";
import type { Db, Tx } from "../../db/database.ts";
import { violatedUnique } from "../../db/refusal.ts";
import { isUuid } from "../../lib/ids.ts";
import type { Document } from "../protocol/attributes.ts";
import { ScimRefusal } from "../protocol/refusal.ts";
import type { ListQuery } from "../resource.ts";

/** A user of the tenant, with what the provider says about it; `attributes` is null if it said nothing yet. */
export interface UserRow {
  id: string;
  email: string;
  name: string | null;
  status: "active" | "deactivated";
  created_at: Date;
  attributes: Document | null;
  modified_at: Date | null;
  groups: { value: string; display: string }[];
}

const COLUMNS = sql`u.id, u.email, u.name, u.status, u.created_at, s.attributes, s.modified_at,
  (SELECT coalesce(json_agg(json_build_object('value', g.id, 'display', g.display_name) ORDER BY g.id), '[]')
     FROM scim_members m JOIN scim_groups g ON g.id = m.group_id WHERE m.user_id = u.id) AS groups`;

const of = (tenantId: string) => sql`FROM shared_users u LEFT JOIN scim_users s ON s.user_id = u.id
  WHERE u.tenant_id = ${tenantId} AND u.deleted_at IS NULL`;

export async function findUserRow(db: Db, tenantId: string, id: string): Promise<UserRow | undefined> {
  if (!isUuid(id)) return undefined;
  const { rows } = await sql<UserRow>`SELECT ${COLUMNS} ${of(tenantId)} AND u.id = ${id}`.execute(db);
  return rows[0];
}

/** Lists users, oldest first. @throws ScimRefusal invalidFilter */
export async function listUserRows(
  db: Db,
  tenantId: string,
  { filter, startIndex, count }: ListQuery,
): Promise<{ rows: UserRow[]; total: number }> {
  const from = sql`${of(tenantId)} AND ${filter ? conditionOf(filter) : sql`true`}`;
  const counted = await sql<{ total: number }>`SELECT count(*)::int AS total ${from}`.execute(db);
  const { rows } = await sql<UserRow>`
    SELECT ${COLUMNS} ${from} ORDER BY u.created_at, u.id LIMIT ${count} OFFSET ${startIndex - 1}`.execute(db);
  return { rows, total: counted.rows[0]!.total };
}

function conditionOf({ attribute, value }: NonNullable<ListQuery["filter"]>): RawBuilder<unknown> {
  const text = String(value);
  switch (attribute) {
    case "id":
      return sql`u.id::text = ${text}`;
    case "username":
      return sql`lower(coalesce(s.user_name, u.email)) = lower(${text}::text)`;
    case "externalid":
      return sql`s.external_id = ${text}`;
    case "emails":
    case "emails.value":
      return sql`lower(u.email) = lower(${text}::text)`;
    case "displayname":
      return sql`u.name = ${text}`;
    case "active":
      return sql`(u.status = 'active') = ${value === true}`;
    default:
      throw new ScimRefusal("invalidFilter", `Users cannot be filtered by ${attribute}.`);
  }
}

/**
 * Stores what the provider says about a user. A name of a deleted user becomes available again.
 *
 * @throws ScimRefusal uniqueness
 */
export async function writeUser(
  tx: Tx,
  user: { tenantId: string; id: string; document: Document; now: Date },
): Promise<void> {
  const { tenantId, id, document, now } = user;
  const name = String(document.userName);
  const externalId = document.externalId === undefined ? null : String(document.externalId);
  await sql`DELETE FROM scim_users s USING shared_users u WHERE u.id = s.user_id AND u.deleted_at IS NOT NULL
    AND s.tenant_id = ${tenantId} AND lower(s.user_name) = lower(${name}::text)`.execute(tx);
  try {
    await sql`
      INSERT INTO scim_users (user_id, tenant_id, user_name, external_id, attributes, modified_at)
      VALUES (${id}, ${tenantId}, ${name}, ${externalId}, ${JSON.stringify(document)}::text::jsonb, ${now})
      ON CONFLICT (user_id) DO UPDATE SET user_name = excluded.user_name, external_id = excluded.external_id,
        attributes = excluded.attributes, modified_at = excluded.modified_at`.execute(tx);
  } catch (error) {
    if (violatedUnique(error)) throw new ScimRefusal("uniqueness", "There is already a user with this userName.");
    throw error;
  }
}

/** Forgets what the provider said about a user, with the memberships. */
export async function forgetUser(tx: Tx, id: string): Promise<void> {
  await tx.deleteFrom("scim_members").where("user_id", "=", id).execute();
  await tx.deleteFrom("scim_users").where("user_id", "=", id).execute();
}
