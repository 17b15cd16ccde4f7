import { type Insertable, type NotNull, type RawBuilder, type Selectable, type SqlBool, sql } from "kysely";
import type { Db, Tx } from "../db/database.ts";
import { violatedUnique } from "../db/refusal.ts";
import type { Schema, UsersTable } from "../db/schema.generated.ts";
import { normalizeEmailAddress } from "../lib/mail/email-address.ts";
import { alreadyExists } from "../lib/request-errors.ts";

export interface UserRow {
  id: string;
  tenant_id: string;
  email: string;
  role: UsersTable["role"];
  status: "active" | "deactivated";
  /** Whether the user runs the installation. */
  platform: boolean;
}

/**
 * Returns the SQL condition that the column has this address, in any case and any spelling that {@link
 * normalizeEmailAddress} folds.
 */
export function hasEmail(column: string, email: string): RawBuilder<SqlBool> {
  return sql`lower(${sql.ref(column)}) = lower(${normalizeEmailAddress(email)}::text)`;
}

/** @throws MusterError already_exists when a user who is not deleted has this address */
export async function insertUser(db: Db, user: Insertable<Schema["users"]> & { email: string }): Promise<void> {
  try {
    await db.insertInto("users").values(user).execute();
  } catch (error) {
    if (violatedUnique(error)) throw alreadyExists("There is already a user with this e-mail address.", user.email);
    throw error;
  }
}

/**
 * Returns the user with this address and locks the row until the transaction ends, which serializes creating a key with
 * changing its owner.
 */
export async function lockUser(tx: Tx, email: string): Promise<UserRow | undefined> {
  return await tx
    .selectFrom("users")
    .select(["id", "tenant_id", "email", "role", "status", "platform"])
    .where(hasEmail("email", email))
    .where("deleted_at", "is", null)
    .$narrowType<{ email: NotNull }>()
    .forNoKeyUpdate()
    .executeTakeFirst();
}

/** A user as administrators see them. */
export interface UserDetails extends UserRow {
  /** Null if the user has given none. */
  name: string | null;
  created_at: Date;
}

/** Locks a user of any kind until the transaction ends. */
export async function lockAnyUser(tx: Tx, id: string): Promise<void> {
  await tx.selectFrom("users").select("id").where("id", "=", id).forNoKeyUpdate().execute();
}

/** Returns the tenant's undeleted person with this id and locks the row until the transaction ends. */
export async function lockUserById(tx: Tx, tenantId: string, id: string): Promise<UserDetails | undefined> {
  return await tx
    .selectFrom("users")
    .select(["id", "tenant_id", "email", "name", "role", "status", "platform", "created_at"])
    .where("id", "=", id)
    .where("tenant_id", "=", tenantId)
    .where("deleted_at", "is", null)
    .where("kind", "=", "person")
    .$narrowType<{ email: NotNull }>()
    .forNoKeyUpdate()
    .executeTakeFirst();
}

/** Serializes changes of the tenant's admins, so that the last one can be counted. */
export async function lockAdmins(tx: Tx, tenantId: string): Promise<void> {
  await tx.selectFrom("tenants").select("id").where("id", "=", tenantId).forNoKeyUpdate().execute();
}

/**
 * Returns the ids of the active users who run the installation, and serializes changes of them until the transaction
 * ends. Take this lock before that of the user who is changed.
 */
export async function lockOperators(tx: Tx): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    SELECT id FROM users WHERE platform AND status = 'active' AND deleted_at IS NULL ORDER BY id FOR NO KEY UPDATE`.execute(
    tx,
  );
  return rows.map(({ id }) => id);
}

/** Returns whether the user has a second factor. */
export async function hasFactor(db: Db, userId: string): Promise<boolean> {
  const found = db.selectFrom("shared_user_factors").select("factor_id").where("user_id", "=", userId);
  return (await found.executeTakeFirst()) !== undefined;
}

/** Counts the active admins of the tenant who can sign in, other than this user. */
export async function countOtherAdmins(tx: Tx, tenantId: string, userId: string): Promise<number> {
  const { rows } = await sql<{ admins: number }>`
    SELECT count(*)::int AS admins FROM users WHERE tenant_id = ${tenantId} AND id <> ${userId}
       AND role = 'admin' AND status = 'active' AND deleted_at IS NULL AND kind = 'person'`.execute(tx);
  return rows[0]!.admins;
}

/**
 * Sets the role; the right to run the installation ends with the role admin. Fires `users_keys_owner`,
 * `users_mqtt_clients`, `users_sessions_end`.
 */
export async function setRole(tx: Tx, id: string, role: UserRow["role"]): Promise<void> {
  await sql`UPDATE users SET role = ${role}, platform = platform AND ${role} = 'admin' WHERE id = ${id}`.execute(tx);
}

/** Fires `users_sessions_end`. */
export async function setPlatform(tx: Tx, id: string, platform: boolean): Promise<void> {
  await tx.updateTable("users").set({ platform }).where("id", "=", id).execute();
}

/** Returns whether a user has ever existed. */
export async function hasUsers(db: Db): Promise<boolean> {
  return (await db.selectFrom("users").select("id").limit(1).execute()).length > 0;
}

/** Returns the slug of the tenant of the user with this address. */
export async function findTenantOfUser(db: Db, email: string): Promise<string | undefined> {
  const row = await db
    .selectFrom("users as u")
    .innerJoin("tenants as t", "t.id", "u.tenant_id")
    .select("t.slug")
    .where(hasEmail("u.email", email))
    .where("u.deleted_at", "is", null)
    .executeTakeFirst();
  return row?.slug;
}

/** Lists the people who are not deleted, newest first. */
export async function listUserRows(
  db: Db,
  tenantId: string,
): Promise<(Pick<Selectable<UsersTable>, "id" | "role" | "status" | "created_at"> & { email: string })[]> {
  return await db
    .selectFrom("users")
    .select(["id", "email", "role", "status", "created_at"])
    .where("tenant_id", "=", tenantId)
    .where("deleted_at", "is", null)
    .where("kind", "=", "person")
    .$narrowType<{ email: NotNull }>()
    .orderBy("id", "desc")
    .execute();
}

/**
 * Returns the names, or addresses, of those `ids` (UUIDs) that are users of the tenant, including deleted users and
 * service accounts, whose address is empty.
 */
export async function findUserNames(
  db: Db,
  tenantId: string,
  ids: readonly string[],
): Promise<{ id: string; name: string; email: string; deleted: boolean }[]> {
  const { rows } = await sql<{ id: string; name: string; email: string; deleted: boolean }>`
    SELECT id, coalesce(name, email) AS name, coalesce(email, '') AS email, deleted_at IS NOT NULL AS deleted FROM users
     WHERE tenant_id = ${tenantId} AND id = ANY (${[...ids]}::uuid[])`.execute(db);
  return rows;
}

/**
 * Sets address and name as the identity provider states them.
 *
 * @throws MusterError already_exists when another user who is not deleted has this address
 */
export async function setContact(tx: Tx, id: string, contact: { email: string; name: string | null }): Promise<void> {
  try {
    await tx.updateTable("users").set(contact).where("id", "=", id).execute();
  } catch (error) {
    if (violatedUnique(error)) throw alreadyExists("There is already a user with this e-mail address.", contact.email);
    throw error;
  }
}

/** Fires `users_mqtt_clients`, `users_sessions_end`. */
export async function setStatus(tx: Tx, id: string, status: "active" | "deactivated"): Promise<void> {
  await tx.updateTable("users").set({ status }).where("id", "=", id).execute();
}

/**
 * Sets the password. Fires `users_sessions_end`.
 *
 * @param drawn whether the service generated the password, so that the user must change it first
 */
export async function setPasswordHash(tx: Tx, id: string, hash: string, drawn: boolean): Promise<void> {
  await tx.updateTable("users").set({ password_hash: hash, password_drawn: drawn }).where("id", "=", id).execute();
}

/**
 * Marks the user deleted and removes the password hash and rights; the row stays for its references. Fires
 * `users_factors_end`, `users_mqtt_clients`, `users_sessions_end`.
 */
export async function markDeleted(tx: Tx, id: string, now: Date): Promise<void> {
  await tx
    .updateTable("users")
    .set({ status: "deactivated", deleted_at: now, password_hash: "", platform: false })
    .where("id", "=", id)
    .execute();
}

/** Returns, for each address in order, the id of the tenant's user with it, or `null`. */
export async function findIdsByEmail(db: Db, tenantId: string, emails: string[]): Promise<(string | null)[]> {
  const { rows } = await sql<{ id: string | null }>`
    SELECT u.id FROM unnest(${emails.map(normalizeEmailAddress)}::text[]) WITH ORDINALITY AS asked (email, place)
    LEFT JOIN users u ON lower(u.email) = lower(asked.email) AND u.tenant_id = ${tenantId} AND u.deleted_at IS NULL
    ORDER BY asked.place`.execute(db);
  return rows.map(({ id }) => id);
}
