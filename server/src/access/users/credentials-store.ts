import { type NotNull, sql } from "kysely";
import type { Db, Tx } from "../../db/database.ts";
import { hasEmail } from "../user-store.ts";

/** The sign-in credentials of an active user. */
export interface Credentials {
  userId: string;
  passwordHash: string;
}

export interface FoundCredentials extends Credentials {
  /** The address as stored, since several spellings match. */
  email: string;
  /** The user's second factors. */
  factorIds: string[];
}

/** Returns the credentials of the active user with this address. */
export async function findCredentials(db: Db, email: string): Promise<FoundCredentials | undefined> {
  return await activeUsers(db)
    .select("users.email")
    .select(
      sql<string[]>`ARRAY(SELECT f.factor_id FROM shared_user_factors f WHERE f.user_id = users.id)`.as("factorIds"),
    )
    .where(hasEmail("users.email", email))
    .$narrowType<{ email: NotNull }>()
    .executeTakeFirst();
}

/**
 * Returns the credentials of an active user and locks them. Earlier changes of the user are visible, and later ones
 * wait for this transaction, so they can revoke whatever it grants on these credentials.
 */
export async function lockCredentials(tx: Tx, userId: string): Promise<Credentials | undefined> {
  return await activeUsers(tx).where("users.id", "=", userId).forShare().executeTakeFirst();
}

function activeUsers(db: Db) {
  return db
    .selectFrom("users")
    .select(["users.id as userId", "users.password_hash as passwordHash"])
    .where("status", "=", "active")
    .where("deleted_at", "is", null)
    .where("kind", "=", "person");
}
