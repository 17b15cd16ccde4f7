import { type RawBuilder, sql } from "kysely";
import type { Db, Tx } from "../../db/database.ts";
import { addMs } from "../../lib/clock.ts";
import type { Message } from "../message.ts";
import { EXPIRY_MS } from "./back-off.ts";

/** Which process sends a delivery, and until when no other one may: earlier when the process stops. */
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
  target: string;
  group_id: string | null;
  anomaly_id: string | null;
  payload: Message;
  created_at: Date;
  /** Counts the attempt that the lease is for. */
  attempts: number;
}

const CLAIMED = sql`d.id, d.tenant_id, d.target, d.group_id, d.anomaly_id, d.payload, d.created_at, d.attempts`;

/** A leased delivery counts as perhaps sent until its result is recorded. */
const leased = ({ now, until, by }: Lease): RawBuilder<unknown> => sql`
  attempts = attempts + 1, claimed_at = ${now}, next_at = ${until}, claimed_by = ${by}::uuid,
  maybe_sent = true, maybe_sent_before = maybe_sent`;

/** Leases deliveries that the transaction has locked by their address. */
export async function claimDeliveries(tx: Tx, ids: string[], lease: Lease): Promise<ClaimedRow[]> {
  if (ids.length === 0) return [];
  const { rows } = await sql<ClaimedRow>`
    UPDATE deliveries d SET ${leased(lease)}
     WHERE d.id = ANY (${ids}::uuid[]) RETURNING ${CLAIMED}`.execute(tx);
  return rows;
}

/** Leases due webhooks, at most `perTarget` of one address at a time, so that a slow one does not delay the others. */
export async function claimWebhooks(
  tx: Tx,
  { limit, perTarget, lease }: { limit: number; perTarget: number; lease: Lease },
): Promise<ClaimedRow[]> {
  const { now, until } = lease;
  const { rows } = await sql<ClaimedRow>`
    UPDATE deliveries d SET ${leased(lease)}
     WHERE d.id IN (
       SELECT w.id FROM deliveries w JOIN (
         SELECT id, row_number() OVER (PARTITION BY tenant_id, target ORDER BY next_at > ${now} DESC, next_at, id) AS place
           FROM deliveries
          WHERE state = 'pending' AND channel = 'webhook' AND next_at <= ${until}
            AND (next_at <= ${now} OR claimed_by IS NOT NULL) AND created_at >= ${addMs(now, -EXPIRY_MS)}
       ) ranked ON ranked.id = w.id AND ranked.place <= ${perTarget}
        WHERE w.state = 'pending' AND w.next_at <= ${now}
        ORDER BY w.next_at LIMIT ${limit} FOR UPDATE OF w SKIP LOCKED)
    RETURNING ${CLAIMED}`.execute(tx);
  return rows;
}

/** Inserts a delivery attempt; `error` is `null` when it succeeded. */
const attempt = (id: string, number: number, now: Date, error: string | null): RawBuilder<unknown> => sql`
  INSERT INTO delivery_attempts (delivery_id, attempt, at, error) VALUES (${id}, ${number}, ${now}, ${error})
  ON CONFLICT DO NOTHING`;

/** Records that it arrived, whichever process has leased it now. */
export async function recordSent(db: Db, { id, attempts }: ClaimedRow, now: Date): Promise<void> {
  await sql`
    WITH attempted AS (${attempt(id, attempts, now, null)})
    UPDATE deliveries SET state = 'sent', done_at = ${now}, last_error = NULL
     WHERE id = ${id} AND state = 'pending'`.execute(db);
}

export interface Failure {
  error: string;
  /** When to try again; `undefined`: never. */
  retryAt: Date | undefined;
  /** Whether it may have arrived all the same. */
  maybeSent: boolean;
}

/** Records that an attempt failed, unless another process has leased the delivery since. */
export async function recordFailed(db: Db, { id, attempts }: ClaimedRow, failure: Failure, now: Date): Promise<void> {
  const { error, retryAt, maybeSent } = failure;
  await sql`
    WITH attempted AS (${attempt(id, attempts, now, error)})
    UPDATE deliveries SET last_error = ${error}, maybe_sent = maybe_sent_before OR ${maybeSent},
           state = ${retryAt ? "pending" : "failed"}, next_at = coalesce(${retryAt ?? null}::timestamptz, next_at),
           claimed_by = NULL, done_at = ${retryAt ? null : now}::timestamptz
     WHERE id = ${id} AND state = 'pending' AND attempts = ${attempts}`.execute(db);
}
