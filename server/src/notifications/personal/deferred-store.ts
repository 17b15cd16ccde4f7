import { createHash } from "node:crypto";
import { sql } from "kysely";
import type { Tx } from "../../db/database.ts";
import { addMs, MINUTE } from "../../lib/clock.ts";
import type { NewDelivery } from "../delivery/delivery-store.ts";
import type { AnomalyMessage } from "../message.ts";
import type { Deferral } from "./quiet.ts";

/** A message about an anomaly that a quiet choice holds back; one for a user, however many channels the user has. */
export interface DeferredDelivery {
  /** What would be sent to the user's account. */
  delivery: NewDelivery;
  deferred: Deferral;
  /** The minutes of the step of escalation; 0 for a resolution. */
  step: number;
}

/** A change of duties or choices that commits beside the insertion does not see the message: it is considered once more after this time. */
const AGAIN_MS = MINUTE;

/** Records what is held back. A step holds back one message for a user, also when several groups page the user. */
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
    dedupe: deferredKey(delivery, message.type, step).toString("hex"),
    deferred_by: deferred.by,
    deferred_until: deferred.until,
    step,
  }));
  await sql`
    INSERT INTO deliveries (id, tenant_id, type, channel, target, user_id, group_id, anomaly_id, payload, dedupe, state,
                            deferred_by, deferred_until, release_at, deferred_step, created_at, next_at, done_at)
    SELECT n.id, n.tenant_id, n.type, 'email', n.target, n.user_id, n.group_id, n.anomaly_id, n.payload::json,
           decode(n.dedupe, 'hex'), 'deferred', n.deferred_by, n.deferred_until, least(n.deferred_until, ${addMs(now, AGAIN_MS)}),
           n.step, ${now}, ${now}, ${now}
      FROM jsonb_to_recordset(${JSON.stringify(rows)}::text::jsonb) AS n (id uuid, tenant_id uuid, type text, target text,
             user_id uuid, group_id uuid, anomaly_id uuid, payload text, dedupe text, deferred_by text, deferred_until timestamptz,
             step integer)
     ORDER BY n.dedupe
    ON CONFLICT DO NOTHING`.execute(tx);
}

function deferredKey({ anomalyId, userId }: Omit<NewDelivery, "message">, type: string, step: number): Buffer {
  return createHash("sha256")
    .update(JSON.stringify([anomalyId, type, step, "deferred", userId]))
    .digest();
}

export interface DueDeferredRow {
  id: string;
  tenant_id: string;
  type: AnomalyMessage["type"];
  user_id: string;
  group_id: string;
  anomaly_id: string;
  deferred_step: number;
  time_zone: string;
}

/** Locks messages whose quiet choice has ended and that no other process has locked, the first first. */
export async function lockDueDeferred(tx: Tx, now: Date, limit: number): Promise<DueDeferredRow[]> {
  const { rows } = await sql<DueDeferredRow>`
    SELECT d.id, d.tenant_id, d.type, d.user_id, d.group_id, d.anomaly_id, d.deferred_step, d.payload->>'timeZone' AS time_zone
      FROM deliveries d WHERE d.release_at <= ${now} ORDER BY d.release_at LIMIT ${limit} FOR UPDATE SKIP LOCKED`.execute(
    tx,
  );
  return rows;
}

/** Records that the messages have been considered for the last time: they stay in the log as held back until then. */
export async function endDeferred(tx: Tx, ids: readonly string[], now: Date): Promise<void> {
  if (ids.length > 0)
    await sql`UPDATE deliveries SET release_at = NULL, deferred_until = coalesce(deferred_until, ${now})
      WHERE id = ANY (${ids}::uuid[])`.execute(tx);
}

/** Has what is held back for a user considered again, since the user's choices have changed. */
export async function considerDeferred(tx: Tx, userId: string, now: Date): Promise<void> {
  await sql`
    UPDATE deliveries SET release_at = ${now} WHERE id = ANY (ARRAY(
      SELECT id FROM deliveries
       WHERE user_id = ${userId} AND state = 'deferred' AND (release_at IS NOT NULL OR deferred_until IS NULL)
       ORDER BY id FOR UPDATE))`.execute(tx);
}

/** Holds a message back further. */
export async function deferLonger(tx: Tx, id: string, { by, until }: Deferral): Promise<void> {
  await sql`UPDATE deliveries SET deferred_by = ${by}, deferred_until = ${until}, release_at = ${until} WHERE id = ${id}`.execute(
    tx,
  );
}
