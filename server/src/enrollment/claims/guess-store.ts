import { sql } from "kysely";
import type { Db, Tx } from "../../db/database.ts";

/**
 * Counts a guess of `address`, unless its window is full.
 *
 * @returns `undefined` when it was counted, else the time of the oldest guess that counts
 */
export async function countGuess(
  tx: Tx,
  address: string,
  limit: { max: number; since: Date },
  now: Date,
): Promise<Date | undefined> {
  // Guesses of one address take turns; otherwise many at once would each count themselves as the last one allowed.
  await sql`SELECT pg_advisory_xact_lock(hashtextextended(${`guess:${address}`}, 0))`.execute(tx);
  const { rows } = await sql<{ at: Date }>`
    SELECT at FROM claim_guesses WHERE address = ${address} AND at > ${limit.since}
    ORDER BY at DESC OFFSET ${limit.max - 1} LIMIT 1`.execute(tx);
  if (rows[0]) return rows[0].at;
  await tx.insertInto("claim_guesses").values({ address, at: now }).execute();
  return undefined;
}

/** Deletes guesses up to `before`, except rows that another process is deleting. */
export async function deleteGuesses(db: Db, before: Date): Promise<void> {
  await sql`DELETE FROM claim_guesses WHERE ctid = ANY (ARRAY(
    SELECT ctid FROM claim_guesses WHERE at <= ${before} FOR UPDATE SKIP LOCKED))`.execute(db);
}
