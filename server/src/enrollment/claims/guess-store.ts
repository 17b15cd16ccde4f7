import { sql } from "kysely";
import type { Db, Tx } from "../../db/database.ts";
import type { Pruned } from "../../db/prune.ts";
import { runStatement, statement } from "../../db/statement.ts";

/**
 * Counts a guess of `address`, unless its window is full.
 *
 * @returns `undefined` if it was counted, otherwise the time of the oldest guess that counts
 */
export async function countGuess(
  tx: Tx,
  address: string,
  limit: { max: number; since: Date },
  now: Date,
): Promise<Date | undefined> {
  // The lock serializes guesses of one address; otherwise concurrent guesses would each count as the last one allowed.
  await sql`SELECT pg_advisory_xact_lock(hashtextextended(${`guess:${address}`}, 0))`.execute(tx);
  const { rows } = await sql<{ at: Date }>`
    SELECT at FROM claim_guesses WHERE address = ${address} AND at > ${limit.since}
    ORDER BY at DESC OFFSET ${limit.max - 1} LIMIT 1`.execute(tx);
  if (rows[0]) return rows[0].at;
  await tx.insertInto("claim_guesses").values({ address, at: now }).execute();
  return undefined;
}

/** Deletes at most `limit` guesses from `from` up to `before`, except rows that another process is deleting. */
export async function deleteGuesses(db: Db, range: { from: Date; before: Date; limit: number }): Promise<Pruned<Date>> {
  const [pruned] = await runStatement(db, deleteOldGuesses, range);
  return pruned!;
}

const deleteOldGuesses = statement<{ from: Date; before: Date; limit: number }, Pruned<Date>>(
  "delete-old-guesses",
  (p) => sql`
    WITH deleted AS (
      DELETE FROM claim_guesses WHERE ctid = ANY (ARRAY(
        SELECT ctid FROM claim_guesses WHERE at >= ${p.from}::timestamptz AND at <= ${p.before}::timestamptz
         ORDER BY at LIMIT ${p.limit}::int FOR UPDATE SKIP LOCKED))
      RETURNING at)
    SELECT count(*)::int AS rows, max(at) AS last FROM deleted`,
);
