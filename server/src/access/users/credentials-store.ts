import { type SqlBool, sql } from "kysely";
import type { Db, Tx } from "../../db/database.ts";

/** What a user who is active signs in with. */
export interface Credentials {
  userId: string;
  passwordHash: string;
}

/** The credentials of the active user with this address. */
export async function findCredentials(db: Db, email: string): Promise<Credentials | undefined> {
  return await activeUsers(db).where(sql<SqlBool>`lower(email) = lower(${email})`).executeTakeFirst();
}

/**
 * The credentials of an active user. A change of the user that commits before is seen, and a later one waits for this transaction:
 * what the transaction grants on these credentials is taken back by the change.
 */
export async function lockCredentials(tx: Tx, userId: string): Promise<Credentials | undefined> {
  return await activeUsers(tx).where("id", "=", userId).forShare().executeTakeFirst();
}

function activeUsers(db: Db) {
  return db
    .selectFrom("users")
    .select(["id as userId", "password_hash as passwordHash"])
    .where("status", "=", "active")
    .where("deleted_at", "is", null);
}
