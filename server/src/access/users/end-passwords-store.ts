import { sql } from "kysely";
import type { Tx } from "../../db/database.ts";

/** The placeholder for the hash of an ended password, against which no password verifies. */
const NO_HASH = "";

/**
 * Ends the passwords of all users, or of those with these ids; a trigger ends the sessions. Fires `users_sessions_end`.
 *
 * @returns how many there were
 */
export async function endPasswords(tx: Tx, userIds?: readonly string[]): Promise<number> {
  const { rows } = await sql`
    UPDATE users SET password_hash = ${NO_HASH}
     WHERE password_hash <> ${NO_HASH} AND (${userIds === undefined} OR id = ANY (${[...(userIds ?? [])]}::uuid[]))
    RETURNING id`.execute(tx);
  return rows.length;
}

/** Returns whether a user has a password, rather than an ended one that must be set through a link. */
export function hasPassword({ passwordHash }: { passwordHash: string }): boolean {
  return passwordHash !== NO_HASH;
}
