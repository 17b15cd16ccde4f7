import { type Insertable, type Selectable, type SqlBool, sql } from "kysely";
import type { Db, Tx } from "../db/database.ts";
import { violatedUnique } from "../db/refusal.ts";
import type { Schema, UsersTable } from "../db/schema.generated.ts";
import { alreadyExists } from "../lib/request-errors.ts";

export interface UserRow {
  id: string;
  tenant_id: string;
  email: string;
  role: UsersTable["role"];
  status: "active" | "deactivated";
}

/** @throws MusterError already_exists when a user who is not deleted has this address */
export async function insertUser(db: Db, user: Insertable<Schema["users"]>): Promise<void> {
  try {
    await db.insertInto("users").values(user).execute();
  } catch (error) {
    if (violatedUnique(error)) throw alreadyExists("There is already a user with this email address.", user.email);
    throw error;
  }
}

/**
 * The user with this address; locks the row until the transaction ends, so that creating a key and changing its owner are
 * serialized.
 */
export async function lockUser(tx: Tx, email: string): Promise<UserRow | undefined> {
  return await tx
    .selectFrom("users")
    .select(["id", "tenant_id", "email", "role", "status"])
    .where(sql<SqlBool>`lower(email) = lower(${email})`)
    .where("deleted_at", "is", null)
    .forNoKeyUpdate()
    .executeTakeFirst();
}

/** The same by the user's id. */
export async function lockUserById(tx: Tx, id: string): Promise<UserRow | undefined> {
  return await tx
    .selectFrom("users")
    .select(["id", "tenant_id", "email", "role", "status"])
    .where("id", "=", id)
    .where("deleted_at", "is", null)
    .forNoKeyUpdate()
    .executeTakeFirst();
}

/** The slug of the tenant of the user with this address. */
export async function findTenantOfUser(db: Db, email: string): Promise<string | undefined> {
  const row = await db
    .selectFrom("users as u")
    .innerJoin("tenants as t", "t.id", "u.tenant_id")
    .select("t.slug")
    .where(sql<SqlBool>`lower(u.email) = lower(${email})`)
    .where("u.deleted_at", "is", null)
    .executeTakeFirst();
  return row?.slug;
}

/** Users who are not deleted, newest first. */
export async function listUserRows(
  db: Db,
  tenantId: string,
): Promise<Pick<Selectable<UsersTable>, "id" | "email" | "role" | "status" | "created_at">[]> {
  return await db
    .selectFrom("users")
    .select(["id", "email", "role", "status", "created_at"])
    .where("tenant_id", "=", tenantId)
    .where("deleted_at", "is", null)
    .orderBy("id", "desc")
    .execute();
}

export async function setStatus(tx: Tx, id: string, status: "active" | "deactivated"): Promise<void> {
  await tx.updateTable("users").set({ status }).where("id", "=", id).execute();
}

export async function setPasswordHash(tx: Tx, id: string, hash: string): Promise<void> {
  await tx.updateTable("users").set({ password_hash: hash }).where("id", "=", id).execute();
}

/** Marks the user deleted and removes the password hash; the row stays for its references. */
export async function markDeleted(tx: Tx, id: string, now: Date): Promise<void> {
  await tx
    .updateTable("users")
    .set({ status: "deactivated", deleted_at: now, password_hash: "" })
    .where("id", "=", id)
    .execute();
}

/** For each address, in order, the id of the tenant's user with it, or `null`. */
export async function findIdsByEmail(db: Db, tenantId: string, emails: string[]): Promise<(string | null)[]> {
  const { rows } = await sql<{ id: string | null }>`
    SELECT u.id FROM unnest(${emails}::text[]) WITH ORDINALITY AS asked (email, place)
    LEFT JOIN users u ON lower(u.email) = lower(asked.email) AND u.tenant_id = ${tenantId} AND u.deleted_at IS NULL
    ORDER BY asked.place`.execute(db);
  return rows.map(({ id }) => id);
}
