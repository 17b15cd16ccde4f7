import { sql } from "kysely";
import type { Db, Tx } from "../../db/database.ts";
import { runStatement, statement } from "../../db/statement.ts";
import type { RecordedChange } from "../../events/events.ts";
import { lockedTenants } from "./tenant-lock-store.ts";

const workDue = statement<{ now: Date }, { due: boolean }>(
  "notifications-due",
  (p) => sql`
    SELECT EXISTS (SELECT FROM notification_inbox)
        OR EXISTS (SELECT FROM pages WHERE state = 'due' AND due_at <= ${p.now}::timestamptz)
        OR EXISTS (SELECT FROM deliveries WHERE done_at IS NULL AND next_at <= ${p.now}::timestamptz)
        OR EXISTS (SELECT FROM deliveries WHERE release_at <= ${p.now}::timestamptz)
        OR EXISTS (SELECT FROM hand_overs WHERE next_at <= ${p.now}::timestamptz)
        OR EXISTS (SELECT FROM channel_addresses WHERE request_at <= ${p.now}::timestamptz)
        OR EXISTS (SELECT FROM suppressed_deliveries WHERE minute <= ${p.now}::timestamptz - interval '1 minute') AS due`,
);

/** Checks whether any work is due. An idle process does so every second. */
export async function isWorkDue(db: Db, now: Date): Promise<boolean> {
  const [row] = await runStatement(db, workDue, { now });
  return row!.due;
}

/** The maximum number of changes that one transaction handles, per tenant and in total. */
const PER_TENANT = 100;
const BATCH = 400;

export type InboxChange = RecordedChange & { tenantId: string };

/**
 * Dequeues changes from the inbox: some for each tenant after `after` that no other process is handling, oldest first.
 * The handling transaction commits the removal, so a failed one leaves them for the next.
 */
export async function dequeueChanges(tx: Tx, after: string): Promise<InboxChange[]> {
  const { rows } = await sql<InboxChange>`
    WITH RECURSIVE tenant AS (
        (SELECT tenant_id FROM notification_inbox WHERE tenant_id > ${after}::uuid ORDER BY tenant_id LIMIT 1)
      UNION ALL
        SELECT (SELECT i.tenant_id FROM notification_inbox i WHERE i.tenant_id > t.tenant_id ORDER BY i.tenant_id LIMIT 1)
          FROM tenant t WHERE t.tenant_id IS NOT NULL
    ), picked AS MATERIALIZED (
      SELECT i.seq FROM ${lockedTenants("inbox")} t CROSS JOIN LATERAL (
        SELECT n.seq FROM notification_inbox n WHERE n.tenant_id = t.tenant_id
         ORDER BY n.seq LIMIT ${PER_TENANT} FOR UPDATE SKIP LOCKED) i
       LIMIT ${BATCH}
    ), dequeued AS (
      DELETE FROM notification_inbox n USING picked WHERE n.seq = picked.seq
      RETURNING n.seq, n.tenant_id, n.changed_table, n.operation, n.changed_row
    ) SELECT tenant_id AS "tenantId", changed_table AS "table", operation, changed_row AS "row"
        FROM dequeued ORDER BY tenant_id, seq`.execute(tx);
  return rows;
}
