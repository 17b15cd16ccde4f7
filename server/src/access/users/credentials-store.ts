import type { Db, Tx } from "../../db/database.ts";
import { hasEmail } from "../user-store.ts";

/** What a user who is active signs in with. */
export interface Credentials {
  userId: string;
  passwordHash: string;
}

export interface FoundCredentials extends Credentials {
  /** The address as it is stored: the database finds it in several spellings. */
  email: string;
  /** The user's second factor, where there is one. */
  factorId: string | null;
}

/** The credentials of the active user with this address. */
export async function findCredentials(db: Db, email: string): Promise<FoundCredentials | undefined> {
  return await activeUsers(db)
    .leftJoin("shared_user_factors as f", "f.user_id", "users.id")
    .select(["users.email", "f.factor_id as factorId"])
    .where(hasEmail("users.email", email))
    .executeTakeFirst();
}

/**
 * The credentials of an active user. A change of the user that commits before is seen, and a later one waits for this transaction:
 * what the transaction grants on these credentials is taken back by the change.
 */
export async function lockCredentials(tx: Tx, userId: string): Promise<Credentials | undefined> {
  return await activeUsers(tx).where("users.id", "=", userId).forShare().executeTakeFirst();
}

function activeUsers(db: Db) {
  return db
    .selectFrom("users")
    .select(["users.id as userId", "users.password_hash as passwordHash"])
    .where("status", "=", "active")
    .where("deleted_at", "is", null);
}
