import { sql } from "kysely";
import type { Db, Tx } from "../../db/database.ts";

/**
 * Counts a guess of `address` unless it has used up its window.
 *
 * @returns `undefined` when it was counted, else when the oldest guess of the window leaves it
 */
export async function countGuess(
  tx: Tx,
  address: string,
  limit: { most: number; since: Date },
  now: Date,
): Promise<Date | undefined> {
  // Guesses of one address wait for each other, or many at once would each see room for one more.
  await sql`SELECT pg_advisory_xact_lock(hashtextextended(${`guess:${address}`}, 0))`.execute(tx);
  const { rows } = await sql<{ at: Date }>`
    SELECT at FROM claim_guesses WHERE address = ${address} AND at > ${limit.since}
    ORDER BY at DESC OFFSET ${limit.most - 1} LIMIT 1`.execute(tx);
  if (rows[0]) return rows[0].at;
  await tx.insertInto("claim_guesses").values({ address, at: now }).execute();
  return undefined;
}

/** Forgets guesses from before `before`. Rows that another process is forgetting are left to it. */
export async function forgetGuesses(db: Db, before: Date): Promise<void> {
  await sql`DELETE FROM claim_guesses WHERE ctid = ANY (ARRAY(
    SELECT ctid FROM claim_guesses WHERE at <= ${before} FOR UPDATE SKIP LOCKED))`.execute(db);
}
