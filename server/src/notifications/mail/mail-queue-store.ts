import { sql } from "kysely";
import type { Tx } from "../../db/database.ts";
import { addMs } from "../../lib/clock.ts";
import { EXPIRY_MS } from "../delivery/back-off.ts";
import type { SingleMessage } from "../message.ts";
import { LAST_CRITICAL, type Priority } from "../queues/priority.ts";

/** Locks the mails of a queue for this transaction, so that two processes never count the same window. */
export async function lockQueue(tx: Tx, queue: string): Promise<void> {
  await sql`SELECT pg_advisory_xact_lock(hashtextextended(${`muster mail ${queue}`}, 0))`.execute(tx);
}

/** A queue of mails at a point in time. Mails created more than a day earlier are not sent. */
export interface QueueAt {
  tenantId: string;
  queue: string;
  now: Date;
}

const due = ({ tenantId, queue, now }: QueueAt) => sql`
  d.state = 'pending' AND d.channel = 'email' AND d.tenant_id = ${tenantId} AND d.queue = ${queue}
  AND d.next_at <= ${now} AND d.created_at >= ${addMs(now, -EXPIRY_MS)}`;

/** Finds the first critical page that is due. */
export async function firstCritical(tx: Tx, at: QueueAt): Promise<string | undefined> {
  const { rows } = await sql<{ id: string }>`
    SELECT d.id FROM deliveries d WHERE ${due(at)} AND d.priority <= ${LAST_CRITICAL}
     ORDER BY d.priority, d.next_at, d.id LIMIT 1`.execute(tx);
  return rows[0]?.id;
}

/** The due mails of one priority. */
export interface WaitingMails {
  priority: Priority;
  again: number;
  fresh: number;
}

/** Counts the due mails that are not critical pages, by priority, those to people first. */
export async function waitingMails(tx: Tx, at: QueueAt): Promise<WaitingMails[]> {
  const { rows } = await sql<WaitingMails>`
    SELECT d.priority, count(*) FILTER (WHERE d.maybe_sent)::int AS again,
           count(*) FILTER (WHERE NOT d.maybe_sent)::int AS fresh
      FROM deliveries d WHERE ${due(at)} AND d.priority > ${LAST_CRITICAL}
     GROUP BY d.priority ORDER BY d.priority`.execute(tx);
  return rows;
}

/** Finds the oldest due mail of the priority. @param again whether it may have been sent before */
export async function oldestMail(tx: Tx, at: QueueAt, priority: Priority, again: boolean): Promise<string> {
  const { rows } = await sql<{ id: string }>`
    SELECT d.id FROM deliveries d WHERE ${due(at)} AND d.priority = ${priority} AND d.maybe_sent = ${again}
     ORDER BY d.created_at, d.id LIMIT 1`.execute(tx);
  return rows[0]!.id;
}

/**
 * Lists the times when mails of the queue, up to a priority, were claimed after `since`, oldest first. A claim at or
 * after `until` comes from a clock that has been set back since, and does not count.
 */
export async function mailedBetween(
  tx: Tx,
  queue: string,
  priority: Priority,
  { since, until }: { since: Date; until: Date },
): Promise<Date[]> {
  const { rows } = await sql<{ claimed_at: Date }>`
    SELECT claimed_at FROM deliveries
     WHERE queue = ${queue} AND channel = 'email' AND claimed_at > ${since} AND claimed_at < ${until}
       AND priority > ${LAST_CRITICAL} AND priority <= ${priority}
     ORDER BY claimed_at`.execute(tx);
  return rows.map(({ claimed_at }) => claimed_at);
}

/** The mails that one digest combines. */
export interface FoldedMails {
  target: string;
  userId: string | null;
  /** The number of messages, including each one in earlier digests. */
  total: number;
  /** The first messages. */
  items: SingleMessage[];
}

/**
 * Folds the oldest due mails of a priority into a digest: at most `limit`, all to the same user, and only mails that
 * were certainly never sent. Users may share a mailbox, but a digest belongs to one user and ends with that user's
 * channel.
 */
export async function foldInto(
  tx: Tx,
  digestId: string,
  at: QueueAt,
  { priority, limit, lines }: { priority: Priority; limit: number; lines: number },
): Promise<FoldedMails> {
  const foldable = sql`${due(at)} AND d.priority = ${priority} AND NOT d.maybe_sent`;
  const { rows } = await sql<FoldedMails>`
    WITH folded AS (
      UPDATE deliveries d SET state = 'digested', done_at = ${at.now}, digest_id = ${digestId}
       WHERE d.id = ANY (ARRAY(
         SELECT d.id FROM deliveries d WHERE ${foldable}
            AND d.user_id IS NOT DISTINCT FROM (
              SELECT d.user_id FROM deliveries d WHERE ${foldable} ORDER BY d.created_at, d.id LIMIT 1)
          ORDER BY d.created_at, d.id LIMIT ${limit}))
      RETURNING d.id, d.target, d.user_id, d.created_at, d.payload
    ), item AS (
      SELECT i.value, row_number() OVER (ORDER BY f.created_at, f.id, i.ordinality) AS place
        FROM folded f CROSS JOIN LATERAL json_array_elements(
          coalesce(f.payload->'items', json_build_array(f.payload))) WITH ORDINALITY i
    )
    SELECT min(f.target) AS target, min(f.user_id::text) AS "userId",
           sum(coalesce((f.payload->>'total')::int, 1))::int AS total,
           (SELECT json_agg(value ORDER BY place) FROM item WHERE place <= ${lines}) AS items
      FROM folded f`.execute(tx);
  return rows[0]!;
}

/** Postpones the due mails of a priority. */
export async function postpone(tx: Tx, at: QueueAt, priority: Priority, until: Date): Promise<void> {
  await sql`UPDATE deliveries d SET next_at = ${until} WHERE ${due(at)} AND d.priority = ${priority}`.execute(tx);
}
