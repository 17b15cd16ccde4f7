import { sql } from "kysely";
import type { Tx } from "../../db/database.ts";

/** What stands in place of the hash of a password that was ended: no password is verified against it. */
const NO_HASH = "";

/** Ends the passwords of all users, or of those with these ids; sessions end by a trigger. @returns how many there were */
export async function endPasswords(tx: Tx, userIds?: readonly string[]): Promise<number> {
  const { rows } = await sql`
    UPDATE users SET password_hash = ${NO_HASH}
     WHERE password_hash <> ${NO_HASH} AND (${userIds === undefined} OR id = ANY (${[...(userIds ?? [])]}::uuid[]))
    RETURNING id`.execute(tx);
  return rows.length;
}

/** Whether a user has a password, rather than one that was ended and is to be set again through a link. */
export function hasPassword({ passwordHash }: { passwordHash: string }): boolean {
  return passwordHash !== NO_HASH;
}
