import { createHash } from "node:crypto";
import { sql } from "kysely";
import type { Tx } from "../../db/database.ts";
import { addMs, MINUTE } from "../../lib/clock.ts";
import type { NewDelivery } from "../delivery/delivery-store.ts";
import type { AnomalyMessage } from "../message.ts";
import type { Deferral } from "../quiet.ts";

/** A message about an anomaly that a quiet choice defers: one per user, however many channels the user has. */
export interface DeferredDelivery {
  /** The message as it would go to the user's account. */
  delivery: NewDelivery;
  deferred: Deferral;
  /** The minutes of the escalation step; 0 for a resolution. */
  step: number;
}

/**
 * The delay of one extra evaluation, because a concurrent change of duties or choices does not see the inserted
 * message.
 */
const AGAIN_MS = MINUTE;

/** Records deferred messages. A step defers one message per user, even if several groups page the user. */
export async function insertDeferred(tx: Tx, items: readonly DeferredDelivery[], now: Date): Promise<void> {
  if (items.length === 0) return;
  const rows = items.map(({ delivery: { message, ...delivery }, deferred, step }) => ({
    id: delivery.id,
    tenant_id: delivery.tenantId,
    type: message.type,
    target: delivery.target,
    user_id: delivery.userId,
    group_id: delivery.groupId,
    anomaly_id: delivery.anomalyId,
    payload: JSON.stringify(message),
    dedupe: deferredKey(delivery).toString("hex"),
    deferred_by: deferred.by,
    deferred_until: deferred.until,
    step,
  }));
  await sql`
    INSERT INTO deliveries (id, tenant_id, type, channel, target, user_id, group_id, anomaly_id, payload, dedupe, state,
                            deferred_by, deferred_until, release_at, step, created_at, next_at, done_at)
    SELECT n.id, n.tenant_id, n.type, 'email', n.target, n.user_id, n.group_id, n.anomaly_id, n.payload::json,
           decode(n.dedupe, 'hex'), 'deferred', n.deferred_by, n.deferred_until, least(n.deferred_until, ${addMs(now, AGAIN_MS)}),
           n.step, ${now}, ${now}, ${now}
      FROM jsonb_to_recordset(${JSON.stringify(rows)}::text::jsonb) AS n (id uuid, tenant_id uuid, type text, target text,
             user_id uuid, group_id uuid, anomaly_id uuid, payload text, dedupe text, deferred_by text, deferred_until timestamptz,
             step integer)
     ORDER BY n.dedupe
    ON CONFLICT DO NOTHING`.execute(tx);
}

/** The key of a user's deferred message. That of the message to the account contains anomaly, step and round. */
function deferredKey({ dedupe, userId }: Omit<NewDelivery, "message">): Buffer {
  return createHash("sha256")
    .update(JSON.stringify([dedupe?.toString("hex"), "deferred", userId]))
    .digest();
}

export interface DueDeferredRow {
  id: string;
  tenant_id: string;
  type: AnomalyMessage["type"];
  user_id: string;
  group_id: string;
  anomaly_id: string;
  step: number;
  time_zone: string;
}

/** Locks messages whose quiet choice has ended and that no other process has locked, earliest first. */
export async function lockDueDeferred(tx: Tx, now: Date, limit: number): Promise<DueDeferredRow[]> {
  const { rows } = await sql<DueDeferredRow>`
    SELECT d.id, d.tenant_id, d.type, d.user_id, d.group_id, d.anomaly_id, d.step, d.payload->>'timeZone' AS time_zone
      FROM deliveries d WHERE d.release_at <= ${now} ORDER BY d.release_at LIMIT ${limit} FOR UPDATE SKIP LOCKED`.execute(
    tx,
  );
  return rows;
}

/** Ends the evaluation of these messages. They stay in the log as deferred until then. */
export async function endDeferred(tx: Tx, ids: readonly string[], now: Date): Promise<void> {
  if (ids.length > 0)
    await sql`UPDATE deliveries SET release_at = NULL, deferred_until = coalesce(deferred_until, ${now})
      WHERE id = ANY (${ids}::uuid[])`.execute(tx);
}

/** Re-evaluates a user's deferred messages after the user's choices have changed. */
export async function considerDeferred(tx: Tx, userId: string, now: Date): Promise<void> {
  await sql`
    UPDATE deliveries SET release_at = ${now} WHERE id = ANY (ARRAY(
      SELECT id FROM deliveries
       WHERE user_id = ${userId} AND state = 'deferred' AND (release_at IS NOT NULL OR deferred_until IS NULL)
       ORDER BY id FOR UPDATE))`.execute(tx);
}

/** Re-evaluates the messages of a group that wait for a duty of these users, after duties have changed. */
export async function considerOffShift(tx: Tx, groupId: string, userIds: readonly string[], now: Date): Promise<void> {
  await sql`
    UPDATE deliveries SET release_at = ${now} WHERE id = ANY (ARRAY(
      SELECT id FROM deliveries
       WHERE user_id = ANY (${[...userIds]}::uuid[]) AND group_id = ${groupId} AND state = 'deferred'
         AND deferred_by = 'off_shift' AND (release_at IS NOT NULL OR deferred_until IS NULL)
       ORDER BY id FOR UPDATE))`.execute(tx);
}

/** Defers a message further. A hold of the anomaly may end early, so it is evaluated every minute. */
export async function deferLonger(tx: Tx, id: string, { by, until }: Deferral, now: Date): Promise<void> {
  const again = by === "held" && until && until > addMs(now, AGAIN_MS) ? addMs(now, AGAIN_MS) : until;
  await sql`UPDATE deliveries SET deferred_by = ${by}, deferred_until = ${until}, release_at = ${again} WHERE id = ${id}`.execute(
    tx,
  );
}
