import { type RawBuilder, sql } from "kysely";
import type { Db, Tx } from "../../db/database.ts";
import { addMs } from "../../lib/clock.ts";
import type { Message } from "../message.ts";
import { GIVE_UP_MS } from "./back-off.ts";

/** A message on its way to one address. */
export interface NewDelivery {
  id: string;
  tenantId: string;
  channel: "email" | "webhook";
  target: string;
  userId: string | null;
  groupId: string | null;
  anomalyId: string | null;
  message: Message;
  /** What is told once: a second delivery with the same is left out. */
  dedupe: Buffer | null;
}

/** Who takes deliveries into its hands, and for how long: until then, or until that process is gone. */
export interface Lease {
  now: Date;
  until: Date;
  /** The process as one of those that serve (`broker_nodes`); `null` before it is one. */
  by: string | null;
}

/** A delivery in the hands of this process until its lease ends. */
export interface ClaimedRow {
  id: string;
  tenant_id: string;
  target: string;
  group_id: string | null;
  anomaly_id: string | null;
  payload: Message;
  created_at: Date;
  attempts: number;
}

const CLAIMED = sql`d.id, d.tenant_id, d.target, d.group_id, d.anomaly_id, d.payload, d.created_at, d.attempts`;

export async function insertDeliveries(tx: Tx, deliveries: readonly NewDelivery[], now: Date): Promise<void> {
  for (let from = 0; from < deliveries.length; from += 500) {
    const rows = deliveries.slice(from, from + 500).map((delivery) => ({
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
    }));
    await sql`
      INSERT INTO deliveries (id, tenant_id, type, channel, target, user_id, group_id, anomaly_id, payload, dedupe,
                              created_at, next_at)
      SELECT n.id, n.tenant_id, n.type, n.channel, n.target, n.user_id, n.group_id, n.anomaly_id, n.payload::json,
             decode(n.dedupe, 'hex'), ${now}, ${now}
        FROM jsonb_to_recordset(${JSON.stringify(rows)}::text::jsonb) AS n (id uuid, tenant_id uuid, type text,
               channel text, target text, user_id uuid, group_id uuid, anomaly_id uuid, payload text, dedupe text)
       ORDER BY n.dedupe
      ON CONFLICT DO NOTHING`.execute(tx);
  }
}

/** To whom the opening of these anomalies was told, or is being told. */
export async function toldOf(tx: Tx, anomalyIds: string[]) {
  const { rows } = await sql<{
    anomaly_id: string;
    channel: "email" | "webhook";
    target: string;
    user_id: string | null;
    group_id: string;
    time_zone: string;
    group_name: string;
  }>`
    SELECT DISTINCT ON (d.anomaly_id, d.channel, d.target, CASE d.channel WHEN 'webhook' THEN d.group_id END)
           d.anomaly_id, d.channel, d.target, d.user_id, d.group_id, d.payload->>'timeZone' AS time_zone,
           d.payload->'group'->>'name' AS group_name
      FROM deliveries d WHERE d.anomaly_id = ANY (${anomalyIds}::uuid[]) AND d.type = 'anomaly.opened'
     ORDER BY d.anomaly_id, d.channel, d.target, CASE d.channel WHEN 'webhook' THEN d.group_id END, d.id`.execute(tx);
  return rows;
}

/** Addresses with mail that is due, those that have waited longest first. */
export async function dueAddresses(db: Db, now: Date, limit: number): Promise<string[]> {
  const { rows } = await sql<{ address: string }>`
    SELECT lower(target) AS address FROM deliveries
     WHERE state = 'pending' AND channel = 'email' AND next_at <= ${now} AND created_at >= ${addMs(now, -GIVE_UP_MS)}
     GROUP BY lower(target) ORDER BY min(next_at) LIMIT ${limit}`.execute(db);
  return rows.map(({ address }) => address);
}

/** Whether this transaction may decide what goes to the address; another process is deciding when it may not. */
export async function lockAddress(tx: Tx, address: string): Promise<boolean> {
  const { rows } = await sql<{ locked: boolean }>`
    SELECT pg_try_advisory_xact_lock(hashtextextended(${`muster mail ${address}`}, 0)) AS locked`.execute(tx);
  return rows[0]!.locked;
}

export interface WaitingMail {
  id: string;
  tenant_id: string;
  target: string;
  user_id: string | null;
  maybe_sent: boolean;
  payload: Message;
}

export async function waitingMails(tx: Tx, address: string, now: Date): Promise<WaitingMail[]> {
  const { rows } = await sql<WaitingMail>`
    SELECT id, tenant_id, target, user_id, maybe_sent, payload FROM deliveries
     WHERE lower(target) = ${address} AND state = 'pending' AND channel = 'email' AND next_at <= ${now}
       AND created_at >= ${addMs(now, -GIVE_UP_MS)}
     ORDER BY created_at, id`.execute(tx);
  return rows;
}

/**
 * The times of the mails handed over to be sent to the address after `since`, oldest first. What is said to have been sent at
 * `until` or later was timed by a clock that has been set back since.
 */
export async function mailedBetween(tx: Tx, address: string, since: Date, until: Date): Promise<Date[]> {
  const { rows } = await sql<{ claimed_at: Date }>`
    SELECT claimed_at FROM deliveries
     WHERE lower(target) = ${address} AND channel = 'email' AND claimed_at > ${since} AND claimed_at < ${until}
     ORDER BY claimed_at`.execute(tx);
  return rows.map(({ claimed_at }) => claimed_at);
}

const taken = ({ now, until, by }: Lease): RawBuilder<unknown> => sql`
  attempts = attempts + 1, claimed_at = ${now}, next_at = ${until}, claimed_by = ${by}::uuid,
  maybe_sent = true, maybe_sent_before = maybe_sent`;

/** Takes deliveries into this process's hands. */
export async function claim(tx: Tx, ids: string[], lease: Lease): Promise<ClaimedRow[]> {
  if (ids.length === 0) return [];
  const { rows } = await sql<ClaimedRow>`
    UPDATE deliveries d SET ${taken(lease)}
     WHERE d.id = ANY (${ids}::uuid[]) RETURNING ${CLAIMED}`.execute(tx);
  return rows;
}

/** Makes one delivery of many, which are done with. */
export async function foldInto(tx: Tx, digestId: string, ids: string[], now: Date): Promise<void> {
  await sql`UPDATE deliveries SET state = 'digested', done_at = ${now}, digest_id = ${digestId}
    WHERE id = ANY (${ids}::uuid[])`.execute(tx);
}

export async function postpone(tx: Tx, ids: string[], until: Date): Promise<void> {
  if (ids.length > 0) await sql`UPDATE deliveries SET next_at = ${until} WHERE id = ANY (${ids}::uuid[])`.execute(tx);
}

/**
 * Takes due webhooks, so that at most `each` of one address are in hand at a time: a slow one must not hold all the others up.
 */
export async function claimWebhooks(
  tx: Tx,
  { limit, each, lease }: { limit: number; each: number; lease: Lease },
): Promise<ClaimedRow[]> {
  const { now, until } = lease;
  const { rows } = await sql<ClaimedRow>`
    UPDATE deliveries d SET ${taken(lease)}
     WHERE d.id IN (
       SELECT w.id FROM deliveries w JOIN (
         SELECT id, row_number() OVER (PARTITION BY tenant_id, target ORDER BY next_at > ${now} DESC, next_at, id) AS place
           FROM deliveries
          WHERE state = 'pending' AND channel = 'webhook' AND next_at <= ${until}
            AND (next_at <= ${now} OR claimed_by IS NOT NULL) AND created_at >= ${addMs(now, -GIVE_UP_MS)}
       ) ranked ON ranked.id = w.id AND ranked.place <= ${each}
        WHERE w.state = 'pending' AND w.next_at <= ${now}
        ORDER BY w.next_at LIMIT ${limit} FOR UPDATE OF w SKIP LOCKED)
    RETURNING ${CLAIMED}`.execute(tx);
  return rows;
}

const attempt = (id: string, number: number, now: Date, error: string | null): RawBuilder<unknown> => sql`
  INSERT INTO delivery_attempts (delivery_id, attempt, at, error) VALUES (${id}, ${number}, ${now}, ${error})
  ON CONFLICT DO NOTHING`;

/** Notes that it arrived, whoever holds it now. */
export async function noteSent(db: Db, { id, attempts }: ClaimedRow, now: Date): Promise<void> {
  await sql`
    WITH noted AS (${attempt(id, attempts, now, null)})
    UPDATE deliveries SET state = 'sent', done_at = ${now}, last_error = NULL
     WHERE id = ${id} AND state = 'pending'`.execute(db);
}

export interface Failure {
  error: string;
  /** When to try again; `undefined` for never. */
  again: Date | undefined;
  /** Whether it may have arrived all the same. */
  maybeSent: boolean;
}

/** Notes that an attempt failed, unless another process has taken it over meanwhile. */
export async function noteFailed(db: Db, { id, attempts }: ClaimedRow, failure: Failure, now: Date): Promise<void> {
  const { error, again, maybeSent } = failure;
  await sql`
    WITH noted AS (${attempt(id, attempts, now, error)})
    UPDATE deliveries SET last_error = ${error}, maybe_sent = maybe_sent_before OR ${maybeSent},
           state = ${again ? "pending" : "failed"}, next_at = coalesce(${again ?? null}::timestamptz, next_at),
           claimed_by = NULL, done_at = ${again ? null : now}::timestamptz
     WHERE id = ${id} AND state = 'pending' AND attempts = ${attempts}`.execute(db);
}

/**
 * Gives up what waits since before `before`: nobody wants to be woken by it now.
 *
 * @returns the channel of each
 */
export async function giveUp(db: Db, before: Date, now: Date, error: string): Promise<("email" | "webhook")[]> {
  const { rows } = await sql<{ channel: "email" | "webhook" }>`
    UPDATE deliveries SET state = 'failed', done_at = ${now}, last_error = coalesce(last_error, ${error})
     WHERE state = 'pending' AND created_at < ${before} AND next_at <= ${now} RETURNING channel`.execute(db);
  return rows.map(({ channel }) => channel);
}

export interface Backlog {
  channel: "email" | "webhook";
  waiting: number;
  since: Date;
}

/** What has not arrived yet, and since when the oldest of it waits; a channel of which nothing waits is not there. */
export async function readBacklog(db: Db): Promise<Backlog[]> {
  const { rows } = await sql<Backlog>`
    SELECT channel, count(*)::int AS waiting, min(created_at) AS since FROM deliveries
     WHERE state = 'pending' GROUP BY channel`.execute(db);
  return rows;
}

/** Forgets what was done with before `before`, with its attempts. */
export async function forgetDeliveries(db: Db, before: Date): Promise<void> {
  await sql`DELETE FROM deliveries WHERE created_at < ${before} AND state <> 'pending'`.execute(db);
}

export interface DeliveryRow {
  id: string;
  type: string;
  channel: "email" | "webhook";
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
 * @param memberUserId only those of groups that this user is a member of
 */
export async function listDeliveryRows(
  db: Db,
  tenantId: string,
  { anomalyId, memberUserId, limit }: { anomalyId?: string; memberUserId: string | undefined; limit: number },
): Promise<DeliveryRow[]> {
  const of = sql`${anomalyId === undefined ? sql`` : sql`AND d.anomaly_id = ${anomalyId}`} ${
    memberUserId === undefined
      ? sql``
      : sql`AND EXISTS (SELECT FROM group_members m WHERE m.group_id = d.group_id AND m.user_id = ${memberUserId})`
  }`;
  const { rows } = await sql<DeliveryRow>`
    SELECT d.id, d.type, d.channel, d.target, d.user_id, d.group_id, d.anomaly_id, d.created_at, d.next_at, d.state,
           d.done_at, d.last_error, d.digest_id,
           (SELECT coalesce(jsonb_agg(jsonb_build_object('attempt', a.attempt, 'at', a.at, 'error', a.error)
                     ORDER BY a.attempt), '[]') FROM delivery_attempts a WHERE a.delivery_id = d.id) AS attempts
      FROM deliveries d WHERE d.tenant_id = ${tenantId} ${of} ORDER BY d.id DESC LIMIT ${limit}`.execute(db);
  return rows;
}
