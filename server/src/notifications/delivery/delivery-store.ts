import { sql } from "kysely";
import type { Db, Tx } from "../../db/database.ts";
import type { Message } from "../message.ts";
import { priorityOf } from "../queues/priority.ts";

export type Channel = "email" | "webhook";

/** A message to one address, to be inserted into the outbox. */
export interface NewDelivery {
  id: string;
  tenantId: string;
  channel: Channel;
  target: string;
  userId: string | null;
  groupId: string | null;
  anomalyId: string | null;
  message: Message;
  /** A second delivery with the same key is not inserted. */
  dedupe: Buffer | null;
}

const INSERT_BATCH = 500;

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
      dedupe: delivery.dedupe?.toString("hex") ?? null,
      priority: priorityOf(delivery.message, delivery.userId),
    }));
    await sql`
      INSERT INTO deliveries (id, tenant_id, type, channel, target, user_id, group_id, anomaly_id, payload, dedupe,
                              priority, created_at, next_at)
      SELECT n.id, n.tenant_id, n.type, n.channel, n.target, n.user_id, n.group_id, n.anomaly_id, n.payload::json,
             decode(n.dedupe, 'hex'), n.priority, ${now}, ${now}
        FROM jsonb_to_recordset(${JSON.stringify(rows)}::text::jsonb) AS n (id uuid, tenant_id uuid, type text,
               channel text, target text, user_id uuid, group_id uuid, anomaly_id uuid, payload text, dedupe text,
               priority smallint)
       ORDER BY n.dedupe
      ON CONFLICT DO NOTHING`.execute(tx);
  }
}

/** A recipient of the message that an anomaly opened. */
export interface NotifiedRow {
  anomaly_id: string;
  channel: Channel;
  target: string;
  user_id: string | null;
  group_id: string;
  time_zone: string;
  group_name: string;
}

/** The recipients of the openings of these anomalies, each once an anomaly; a webhook once a group. */
export async function notifiedOfOpening(tx: Tx, anomalyIds: string[]): Promise<NotifiedRow[]> {
  const { rows } = await sql<NotifiedRow>`
    SELECT DISTINCT ON (d.anomaly_id, d.channel, d.target, CASE d.channel WHEN 'webhook' THEN d.group_id END)
           d.anomaly_id, d.channel, d.target, d.user_id, d.group_id, d.payload->>'timeZone' AS time_zone,
           d.payload->'group'->>'name' AS group_name
      FROM deliveries d WHERE d.anomaly_id = ANY (${anomalyIds}::uuid[]) AND d.type = 'anomaly.opened'
     ORDER BY d.anomaly_id, d.channel, d.target, CASE d.channel WHEN 'webhook' THEN d.group_id END, d.id`.execute(tx);
  return rows;
}

export interface Backlog {
  channel: Channel;
  waiting: number;
  since: Date;
}

/** How many deliveries of a channel are pending, and since when the oldest; a channel without any has no row. */
export async function readBacklog(db: Db): Promise<Backlog[]> {
  const { rows } = await sql<Backlog>`
    SELECT channel, count(*)::int AS waiting, min(created_at) AS since FROM deliveries
     WHERE state = 'pending' GROUP BY channel`.execute(db);
  return rows;
}

export interface DeliveryRow {
  id: string;
  type: string;
  channel: Channel;
  target: string;
  user_id: string | null;
  group_id: string | null;
  anomaly_id: string | null;
  created_at: Date;
  next_at: Date;
  state: "pending" | "sent" | "failed" | "digested";
  done_at: Date | null;
  last_error: string | null;
  digest_id: string | null;
  attempts: { attempt: number; at: string; error: string | null }[];
}

/**
 * The newest deliveries of a tenant, or of one of its anomalies, with every attempt.
 *
 * @param viewer only those of groups that this user is a member of; `undefined`: all
 */
export async function listDeliveryRows(
  db: Db,
  tenantId: string,
  { anomalyId, viewer, limit }: { anomalyId?: string | undefined; viewer: string | undefined; limit: number },
): Promise<DeliveryRow[]> {
  const ofAnomaly = anomalyId === undefined ? sql`` : sql`AND d.anomaly_id = ${anomalyId}`;
  const visible =
    viewer === undefined
      ? sql``
      : sql`AND EXISTS (SELECT FROM shared_group_members m WHERE m.group_id = d.group_id AND m.user_id = ${viewer})`;
  const { rows } = await sql<DeliveryRow>`
    SELECT d.id, d.type, d.channel, d.target, d.user_id, d.group_id, d.anomaly_id, d.created_at, d.next_at, d.state,
           d.done_at, d.last_error, d.digest_id,
           (SELECT coalesce(jsonb_agg(jsonb_build_object('attempt', a.attempt, 'at', a.at, 'error', a.error)
                     ORDER BY a.attempt), '[]') FROM delivery_attempts a WHERE a.delivery_id = d.id) AS attempts
      FROM deliveries d WHERE d.tenant_id = ${tenantId} ${ofAnomaly} ${visible}
     ORDER BY d.id DESC LIMIT ${limit}`.execute(db);
  return rows;
}
