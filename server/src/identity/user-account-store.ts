import { type SqlBool, sql } from "kysely";
import type { Role } from "../access/access.ts";
import type { Db } from "../db/database.ts";
import { type Page, type PageRequest, splitPage } from "../lib/page.ts";
import { isPart, nextPart, type Walked } from "../lists/walk.ts";

/** Returns a user who is not deleted. */
export async function findUser(
  db: Db,
  userId: string,
): Promise<{ id: string; tenantId: string; email: string } | undefined> {
  return await db
    .selectFrom("shared_users")
    .select(["id", "tenant_id as tenantId", "email"])
    .where("id", "=", userId)
    .where("deleted_at", "is", null)
    .executeTakeFirst();
}

export interface AccountFilter extends PageRequest {
  /** A part of the address or the name. */
  q?: string | undefined;
  role?: Role | undefined;
  status?: "active" | "deactivated" | undefined;
}

/** A user of the admin app as its admins see them. */
export interface AccountRow {
  id: string;
  email: string;
  /** Null if the user has given none. */
  name: string | null;
  role: Role;
  status: "active" | "deactivated";
  platform: boolean;
  created_at: Date;
  last_used_at: Date | null;
  second_factor: boolean;
  group_count: number;
}

/** Lists the tenant's users who are not deleted, newest first, each with the last use of an unexpired session. */
export async function listAccountRows(db: Db, tenantId: string, query: AccountFilter): Promise<Page<AccountRow>> {
  const [page, { q, role, status }] = splitPage(query);
  const { skip, limit } = page;
  const matching = sql<SqlBool>`u.tenant_id = ${tenantId} AND u.deleted_at IS NULL
    AND (${role ?? null}::text IS NULL OR u.role = ${role ?? null}) AND (${status ?? null}::text IS NULL OR u.status = ${status ?? null})
    AND (${q ?? null}::text IS NULL OR strpos(lower(concat_ws(' ', u.email, u.name)), lower(${q ?? null})) > 0)`;
  if (isPart(page)) {
    const from = sql`FROM shared_users u WHERE ${matching}`;
    const keys: Walked["keys"] = [{ by: sql`u.id`, type: "uuid", descending: true }];
    const part = await nextPart<AccountRow>(db, { columns: COLUMNS, from, keys }, page);
    return { items: part.rows, total: part.total, skip, limit };
  }
  const { rows: items } = await sql<AccountRow>`
    SELECT ${COLUMNS} FROM shared_users u WHERE ${matching} ORDER BY u.id DESC LIMIT ${limit} OFFSET ${skip}`.execute(
    db,
  );
  const { rows } = await sql<{
    total: number;
  }>`SELECT count(*)::int AS total FROM shared_users u WHERE ${matching}`.execute(db);
  return { items, total: rows[0]!.total, skip, limit };
}

export async function findAccountRow(db: Db, tenantId: string, id: string): Promise<AccountRow | undefined> {
  const { rows } = await sql<AccountRow>`SELECT ${COLUMNS} FROM shared_users u
    WHERE u.tenant_id = ${tenantId} AND u.id = ${id} AND u.deleted_at IS NULL`.execute(db);
  return rows[0];
}

const COLUMNS = sql`u.id, u.email, u.name, u.role, u.status, u.platform, u.created_at,
  (SELECT max(s.last_used_at) FROM user_sessions s WHERE s.user_id = u.id AND (s.factor_id IS NOT NULL) =
    EXISTS (SELECT FROM shared_user_factors f WHERE f.user_id = u.id)) AS last_used_at,
  EXISTS (SELECT FROM shared_user_factors f WHERE f.user_id = u.id) AS second_factor,
  (SELECT count(*)::int FROM shared_group_members m WHERE m.user_id = u.id) AS group_count`;

/** Lists the active users who run the installation, oldest first. */
export async function listOperators(db: Db): Promise<{ id: string; tenantId: string; email: string }[]> {
  return await db
    .selectFrom("shared_users")
    .select(["id", "tenant_id as tenantId", "email"])
    .where("platform", "=", true)
    .where("status", "=", "active")
    .where("deleted_at", "is", null)
    .orderBy("id")
    .execute();
}
