import { sql } from "kysely";
import type { Db } from "../../db/database.ts";
import { runStatement, statement } from "../../db/statement.ts";
import type { ChannelKind } from "../../groups/groups.ts";
import { addMs } from "../../lib/clock.ts";
import type { Place } from "../queues/place.ts";
import { EXPIRY_MS } from "./back-off.ts";

/** The state of the round robin. */
export interface Turn {
  now: Date;
  /** The last tenant served. Tenants with higher ids come next. */
  after: string;
  /** The last queue served of each tenant. */
  lastQueues: Record<string, string>;
  fullTenants: string[];
  fullQueues: string[];
  limit: number;
}

/** The lowest UUID: no id of a tenant or queue is below it. */
export const FIRST = "00000000-0000-0000-0000-000000000000";
const NONE = sql.lit(FIRST);
/** One lookup per priority. A condition on several priorities would scan every message that is not due yet. */
export const PRIORITIES = sql`VALUES (0), (1), (2), (3)`;

interface Params {
  channel: ChannelKind;
  now: Date;
  since: Date;
  after: string;
  last_queues: string;
  full_tenants: string[];
  full_queues: string[];
  limit: number;
}

/**
 * Reads only heads: the tenants with pending messages, the queues of each, and whether the first message of a queue is
 * due. Each is one lookup in the index `deliveries_queued`, so a long queue costs no more than a short one.
 */
const dueQueuesStatement = statement<Params, { tenant_id: string; queue: string }>(
  "notifications-due-queues",
  (p) => sql`
    WITH RECURSIVE tenant AS (
        (SELECT d.tenant_id FROM deliveries d
          WHERE d.state = 'pending' AND d.channel = ${p.channel}::text AND d.tenant_id > ${p.after}::uuid
          ORDER BY d.tenant_id LIMIT 1)
      UNION ALL
        SELECT (SELECT d.tenant_id FROM deliveries d
                 WHERE d.state = 'pending' AND d.channel = ${p.channel}::text AND d.tenant_id > t.tenant_id
                 ORDER BY d.tenant_id LIMIT 1)
          FROM tenant t WHERE t.tenant_id IS NOT NULL)
    SELECT t.tenant_id, head.queue FROM tenant t CROSS JOIN LATERAL (
      WITH RECURSIVE waiting AS (
          (SELECT d.queue FROM deliveries d
            WHERE d.state = 'pending' AND d.channel = ${p.channel}::text AND d.tenant_id = t.tenant_id
            ORDER BY d.queue LIMIT 1)
        UNION ALL
          SELECT (SELECT d.queue FROM deliveries d
                   WHERE d.state = 'pending' AND d.channel = ${p.channel}::text AND d.tenant_id = t.tenant_id
                     AND d.queue > w.queue ORDER BY d.queue LIMIT 1)
            FROM waiting w WHERE w.queue IS NOT NULL)
      SELECT w.queue FROM waiting w CROSS JOIN (${PRIORITIES}) AS p (priority) CROSS JOIN LATERAL (
        SELECT FROM deliveries d
         WHERE d.state = 'pending' AND d.channel = ${p.channel}::text AND d.tenant_id = t.tenant_id AND d.queue = w.queue
           AND d.priority = p.priority AND d.next_at <= ${p.now}::timestamptz AND d.created_at >= ${p.since}::timestamptz
         ORDER BY d.next_at LIMIT 1) due
       WHERE w.queue <> ALL (${p.full_queues}::uuid[])
       ORDER BY p.priority,
                w.queue <= coalesce((${p.last_queues}::jsonb ->> t.tenant_id::text)::uuid, ${NONE}), w.queue
       LIMIT 1) head
     WHERE t.tenant_id <> ALL (${p.full_tenants}::uuid[])
     LIMIT ${p.limit}::integer`,
);

/**
 * Returns one queue for each tenant whose turn it is, without duplicates. Only messages created within {@link
 * EXPIRY_MS} are sent.
 */
export async function dueQueues(db: Db, channel: ChannelKind, turn: Turn): Promise<Place[]> {
  const rows = await runStatement(db, dueQueuesStatement, {
    channel,
    now: turn.now,
    since: addMs(turn.now, -EXPIRY_MS),
    after: turn.after,
    last_queues: JSON.stringify(turn.lastQueues),
    full_tenants: turn.fullTenants,
    full_queues: turn.fullQueues,
    limit: turn.limit,
  });
  return rows.map(({ tenant_id, queue }) => ({ tenantId: tenant_id, queue }));
}
