import { sql } from "kysely";
import type { Db, Tx } from "../../db/database.ts";
import type { ChannelKind } from "../../groups/groups.ts";
import { mailboxOf } from "../../lib/mail/email-address.ts";
import type { Message } from "../message.ts";
import { priorityOf } from "../queues/priority.ts";

/** A message to one address, to be inserted into the outbox. */
export interface NewDelivery {
  id: string;
  tenantId: string;
  channel: ChannelKind;
  target: string;
  userId: string | null;
  groupId: string | null;
  anomalyId: string | null;
  message: Message;
  /** The minutes of the escalation step whose page it is. */
  step?: number;
  /** When to send it at the earliest; at once by default. */
  notBefore?: Date;
  /** The deduplication key. A second delivery with the same key is not inserted. */
  dedupe: Buffer | null;
}

const INSERT_BATCH = 500;
/** The kinds of unsolicited mail, which are counted per mailbox. */
const COUNTED: ReadonlySet<Message["type"]> = new Set(["channel.confirmation", "group.test", "user.test"]);

export async function insertDeliveries(tx: Tx, deliveries: readonly NewDelivery[], now: Date): Promise<void> {
  for (let from = 0; from < deliveries.length; from += INSERT_BATCH) {
    const rows = deliveries.slice(from, from + INSERT_BATCH).map((delivery) => ({
      id: delivery.id,
      tenant_id: delivery.tenantId,
      type: delivery.message.type,
      channel: delivery.channel,
      target: delivery.target,
      user_id: delivery.userId,
      group_id: delivery.groupId,
      anomaly_id: delivery.anomalyId,
      payload: JSON.stringify(delivery.message),
      step: delivery.step ?? null,
      next_at: delivery.notBefore ?? now,
      dedupe: delivery.dedupe?.toString("hex") ?? null,
      priority: priorityOf(delivery.message, delivery.userId),
      mailbox: countedMailbox(delivery),
    }));
    await sql`
      INSERT INTO deliveries (id, tenant_id, type, channel, target, user_id, group_id, anomaly_id, payload, dedupe,
                              priority, mailbox, step, created_at, next_at)
      SELECT n.id, n.tenant_id, n.type, n.channel, n.target, n.user_id, n.group_id, n.anomaly_id, n.payload::json,
             decode(n.dedupe, 'hex'), n.priority, n.mailbox, n.step, ${now}, n.next_at
        FROM jsonb_to_recordset(${JSON.stringify(rows)}::text::jsonb) AS n (id uuid, tenant_id uuid, type text,
               channel text, target text, user_id uuid, group_id uuid, anomaly_id uuid, payload text, dedupe text,
               priority smallint, mailbox text, step integer, next_at timestamptz)
       ORDER BY n.dedupe
      ON CONFLICT DO NOTHING`.execute(tx);
  }
}

function countedMailbox({ channel, message, target }: NewDelivery): string | null {
  return channel === "email" && COUNTED.has(message.type) ? mailboxOf(target) : null;
}

/** A recipient of the message that an anomaly opened. */
export interface NotifiedRow {
  anomaly_id: string;
  channel: ChannelKind;
  target: string;
  user_id: string | null;
  group_id: string;
  time_zone: string;
  group_name: string;
}

/**
 * Lists the recipients of these anomalies' opening messages, each once per anomaly; a webhook once per group or user.
 */
export async function notifiedOfOpening(tx: Tx, anomalyIds: string[]): Promise<NotifiedRow[]> {
  const { rows } = await sql<NotifiedRow>`
    SELECT DISTINCT ON (d.anomaly_id, d.channel, d.target, CASE d.channel WHEN 'webhook' THEN coalesce(d.user_id, d.group_id) END)
           d.anomaly_id, d.channel, d.target, d.user_id, d.group_id, d.payload->>'timeZone' AS time_zone,
           d.payload->'group'->>'name' AS group_name
      FROM deliveries d WHERE d.anomaly_id = ANY (${anomalyIds}::uuid[]) AND d.type = 'anomaly.opened' AND d.state <> 'deferred'
     ORDER BY d.anomaly_id, d.channel, d.target, CASE d.channel WHEN 'webhook' THEN coalesce(d.user_id, d.group_id) END, d.id`.execute(
    tx,
  );
  return rows;
}

export interface Backlog {
  channel: ChannelKind;
  waiting: number;
  since: Date;
}

/**
 * Returns the number of pending deliveries per channel, and the creation time of the oldest. Channels without any are
 * absent.
 */
export async function readBacklog(db: Db): Promise<Backlog[]> {
  const { rows } = await sql<Backlog>`
    SELECT channel, count(*)::int AS waiting, min(created_at) AS since FROM deliveries
     WHERE state = 'pending' GROUP BY channel`.execute(db);
  return rows;
}
