import { sql } from "kysely";
import type { Db, Tx } from "../../db/database.ts";
import { runStatement, statement } from "../../db/statement.ts";
import type { RecordedChange } from "../../events/events.ts";

const workDue = statement<{ now: Date }, { due: boolean }>(
  "notifications-due",
  (p) => sql`
    SELECT EXISTS (SELECT FROM notification_inbox)
        OR EXISTS (SELECT FROM pages WHERE state = 'due' AND due_at <= ${p.now}::timestamptz)
        OR EXISTS (SELECT FROM deliveries WHERE state = 'pending' AND next_at <= ${p.now}::timestamptz) AS due`,
);

/** Whether anything is due: what an idle process checks every second. */
export async function isWorkDue(db: Db, now: Date): Promise<boolean> {
  const [row] = await runStatement(db, workDue, { now });
  return row!.due;
}

/**
 * Removes from the inbox, oldest first, changes that no other process is handling. The transaction that handles them commits the
 * removal, so a failed one leaves them for the next.
 */
export async function dequeueChanges(tx: Tx, limit: number): Promise<RecordedChange[]> {
  const { rows } = await sql<RecordedChange>`
    WITH dequeued AS (
      DELETE FROM notification_inbox WHERE seq IN (
        SELECT seq FROM notification_inbox ORDER BY seq LIMIT ${limit} FOR UPDATE SKIP LOCKED)
      RETURNING seq, changed_table, operation, changed_row
    ) SELECT changed_table AS "table", operation, changed_row AS "row" FROM dequeued ORDER BY seq`.execute(tx);
  return rows;
}
