import { sql } from "kysely";
import type { Db, Tx } from "../../db/database.ts";
import type { Pruned } from "../../db/prune.ts";
import { runStatement, statement } from "../../db/statement.ts";

export interface Attempt {
  subject: Buffer;
  account: Buffer | null;
  now: Date;
  /** The end of a window that begins with this attempt. */
  until: Date;
  most: number;
}

/** Counts an attempt as failed. @returns false when the limit is reached, so that this attempt must not be made */
export async function countAttempt(tx: Tx, attempt: Attempt): Promise<boolean> {
  return (await runStatement(tx, countFailure, attempt)).length === 1;
}

const countFailure = statement<Attempt, object>(
  "count-sign-in-failure",
  (p) => sql`
    INSERT INTO sign_in_failures AS f (subject, account, failures, until)
    VALUES (${p.subject}::bytea, ${p.account}::bytea, 1, ${p.until}::timestamptz)
    ON CONFLICT (subject) DO UPDATE SET
      failures = CASE WHEN f.until <= ${p.now}::timestamptz THEN 1 ELSE f.failures + 1 END,
      until = CASE WHEN f.until <= ${p.now}::timestamptz THEN excluded.until ELSE f.until END
      WHERE f.until <= ${p.now}::timestamptz OR f.failures < ${p.most}::int
    RETURNING failures`,
);

/** Returns the end of a subject's window. */
export async function throttledUntil(db: Db, subject: Buffer): Promise<Date | undefined> {
  const row = await db.selectFrom("sign_in_failures").select("until").where("subject", "=", subject).executeTakeFirst();
  return row?.until;
}

/** Uncounts an attempt that succeeded or was not made. */
export async function uncountAttempt(tx: Tx, subject: Buffer): Promise<void> {
  await sql`UPDATE sign_in_failures SET failures = greatest(failures - 1, 0) WHERE subject = ${subject}`.execute(tx);
}

/** Forgets the failures of an account, including those at known browsers. */
export async function forgetFailures(db: Db, account: Buffer): Promise<void> {
  await db.deleteFrom("sign_in_failures").where("account", "=", account).execute();
}

/** Deletes at most `limit` windows that ended from `from` up to `before`. */
export async function deleteEnded(db: Db, range: { from: Date; before: Date; limit: number }): Promise<Pruned<Date>> {
  const [pruned] = await runStatement(db, deleteEndedWindows, range);
  return pruned!;
}

const deleteEndedWindows = statement<{ from: Date; before: Date; limit: number }, Pruned<Date>>(
  "delete-ended-sign-in-failures",
  (p) => sql`
    WITH deleted AS (
      DELETE FROM sign_in_failures WHERE ctid = ANY (ARRAY(
        SELECT ctid FROM sign_in_failures WHERE until >= ${p.from}::timestamptz AND until <= ${p.before}::timestamptz
         ORDER BY until LIMIT ${p.limit}::int FOR UPDATE SKIP LOCKED))
      RETURNING until)
    SELECT count(*)::int AS rows, max(until) AS last FROM deleted`,
);
