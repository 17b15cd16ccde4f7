import { type RawBuilder, sql } from "kysely";
import type { Db, Tx } from "../../db/database.ts";
import type { ChannelKind } from "../../groups/groups.ts";
import { addMs } from "../../lib/clock.ts";
import type { Message } from "../message.ts";
import type { Place } from "../queues/place.ts";
import { EXPIRY_MS } from "./back-off.ts";
import { PRIORITIES } from "./queue-store.ts";

/** A process's claim to send a delivery. No other process may send it before `until`, unless the owner has stopped. */
export interface Lease {
  now: Date;
  until: Date;
  /** The process's id in `broker_nodes`; `null` before it has one. */
  by: string | null;
}

/** A delivery that this process has leased. */
export interface ClaimedRow {
  id: string;
  tenant_id: string;
  queue: string;
  target: string;
  user_id: string | null;
  group_id: string | null;
  anomaly_id: string | null;
  payload: Message;
  created_at: Date;
  /** The number of attempts, including the leased one. */
  attempts: number;
}

const CLAIMED = sql`d.id, d.tenant_id, d.queue, d.target, d.user_id, d.group_id, d.anomaly_id, d.payload, d.created_at, d.attempts`;

/** SQL: leases a delivery, which counts as possibly sent until its result is recorded. */
const leased = ({ now, until, by }: Lease): RawBuilder<unknown> => sql`
  attempts = attempts + 1, claimed_at = ${now}, next_at = ${until}, claimed_by = ${by}::uuid,
  maybe_sent = true, maybe_sent_before = maybe_sent`;

/** Leases a delivery whose queue the transaction has locked. */
export async function claimDelivery(tx: Tx, id: string, lease: Lease): Promise<ClaimedRow[]> {
  const { rows } = await sql<ClaimedRow>`
    UPDATE deliveries d SET ${leased(lease)} WHERE d.id = ${id} RETURNING ${CLAIMED}`.execute(tx);
  return rows;
}

/** Leases the first due message of each place, unless another process has locked it. */
export async function claimFirst(
  db: Db,
  channel: ChannelKind,
  places: readonly Place[],
  lease: Lease,
): Promise<ClaimedRow[]> {
  const { now } = lease;
  const { rows } = await sql<ClaimedRow>`
    WITH first AS MATERIALIZED (
      SELECT w.id
        FROM unnest(${places.map(({ tenantId }) => tenantId)}::uuid[], ${places.map(({ queue }) => queue)}::uuid[])
               AS place (tenant_id, queue)
       CROSS JOIN LATERAL (
         SELECT due.id FROM (${PRIORITIES}) AS p (priority) CROSS JOIN LATERAL (
           SELECT w.id FROM deliveries w
            WHERE w.state = 'pending' AND w.channel = ${channel} AND w.tenant_id = place.tenant_id
              AND w.queue = place.queue AND w.priority = p.priority
              AND w.next_at <= ${now} AND w.created_at >= ${addMs(now, -EXPIRY_MS)}
            ORDER BY w.next_at LIMIT 1 FOR UPDATE SKIP LOCKED) due
          ORDER BY p.priority LIMIT 1) w)
    UPDATE deliveries d SET ${leased(lease)} FROM first WHERE d.id = first.id RETURNING ${CLAIMED}`.execute(db);
  return rows;
}

/** SQL: inserts a delivery attempt. `error` is `null` if it succeeded. */
const attempt = (id: string, number: number, now: Date, error: string | null): RawBuilder<unknown> => sql`
  INSERT INTO delivery_attempts (delivery_id, attempt, at, error) VALUES (${id}, ${number}, ${now}, ${error})
  ON CONFLICT DO NOTHING`;

/** SQL: the row of a delivery's address, if it is one of a channel. */
const addressOf = (id: string): RawBuilder<unknown> => sql`
  (a.tenant_id, a.type, a.key) = (
    SELECT d.tenant_id, d.channel, channel_address_key(d.channel, d.target) FROM deliveries d WHERE d.id = ${id})`;

/** Records that the delivery arrived, whichever process has leased it now. Its address no longer counts as failing. */
export async function recordSent(db: Db, { id, attempts }: ClaimedRow, now: Date): Promise<void> {
  await sql`
    WITH attempted AS (${attempt(id, attempts, now, null)}),
    address AS (
      UPDATE channel_addresses a SET failing_since = NULL, last_error = NULL
       WHERE a.failing_since IS NOT NULL AND ${addressOf(id)})
    UPDATE deliveries SET state = 'sent', done_at = ${now}, last_error = NULL
     WHERE id = ${id} AND state = 'pending'`.execute(db);
}

export interface Failure {
  error: string;
  /** When to retry; `undefined` for never. */
  retryAt: Date | undefined;
  /** Whether it may have arrived nevertheless. */
  maybeSent: boolean;
}

/** Records a failed attempt and its address as failing, unless another process has leased the delivery since. */
export async function recordFailed(db: Db, { id, attempts }: ClaimedRow, failure: Failure, now: Date): Promise<void> {
  const { error, retryAt, maybeSent } = failure;
  await sql`
    WITH attempted AS (${attempt(id, attempts, now, error)}),
    address AS (
      UPDATE channel_addresses a SET failing_since = coalesce(a.failing_since, ${now}), last_error = ${error}
       WHERE ${addressOf(id)})
    UPDATE deliveries SET last_error = ${error}, maybe_sent = maybe_sent_before OR ${maybeSent},
           state = ${retryAt ? "pending" : "failed"}, next_at = coalesce(${retryAt ?? null}::timestamptz, next_at),
           claimed_by = NULL, done_at = ${retryAt ? null : now}::timestamptz
     WHERE id = ${id} AND state = 'pending' AND attempts = ${attempts}`.execute(db);
}
