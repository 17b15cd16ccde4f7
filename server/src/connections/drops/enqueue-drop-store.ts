import { type RawBuilder, sql } from "kysely";
import type { Db } from "../../db/database.ts";
import { addMs, MINUTE } from "../../lib/clock.ts";
import { isIncomplete } from "../nodes/complete-store.ts";
import { isLive } from "../nodes/node-store.ts";

/** The sessions to close: those opened with one certificate, a device's, an MQTT client's, or a single session. */
export type DropTarget =
  | { certificateId: string }
  | { deviceUid: string }
  | { mqttClientId: string }
  | { sessionId: string };

export type SessionDrop = DropTarget & { reason: string };

/** The numbers of drops, one per node with sessions of the target; empty if no node has any. */
export type DropNumbers = readonly string[];

/** A drop to be recorded. */
export type NewDrop = (
  | { certificateIds: readonly string[] }
  | { deviceUid: string }
  | { mqttClientId: string; clientId: string }
  | { sessionIds: readonly string[]; nodeId: string }
) & {
  reason: string;
  /**
   * Set if the certificate or client of the sessions stays valid. Otherwise its revocation must precede in the same
   * transaction, which also deletes the stored session.
   */
  staysValid?: true;
  /**
   * Sends the drop to every node. Set when a password changes: the row is not locked against sessions being opened.
   */
  toEveryNode?: true;
};

/**
 * The time to wait for a node that has not closed a taken-over session. After that it only gets the takeover's drop.
 */
export const TAKEOVER_MS = MINUTE;

/**
 * Enqueues session drops in the outbox, in the caller's transaction: they exist if and only if the change does. Each
 * node with sessions of a target gets one. The change must precede in the same transaction, under a lock that sessions
 * being opened also take (`lockForSessions`). Each such session is therefore either recorded before this statement
 * reads, or refused; no node has one that is not found. A node reads the outbox on NOTIFY after the commit, or at its
 * next poll.
 *
 * @returns the numbers for `awaitDrops`
 */
export async function enqueueDrops(tx: Db, drop: NewDrop, now: Date): Promise<DropNumbers> {
  const { rows } = await sql<{ seq: string }>`
    WITH targets AS (${targetsOf(drop)}),
    concerned AS (${concernedBy(drop, now)}),
    enqueued AS (
      INSERT INTO session_drops (at, certificate_id, device_uid, mqtt_client_id, session_id, reason, node_id)
      SELECT ${now}, certificate_id, device_uid, mqtt_client_id, session_id, ${drop.reason}, node_id FROM concerned
      RETURNING seq, node_id
    ), notified AS (SELECT pg_notify('muster_drops', node_id::text) FROM (SELECT DISTINCT node_id FROM enqueued) n)
    SELECT seq, (SELECT count(*) FROM notified) AS notified FROM enqueued`.execute(tx);
  if (!drop.staysValid) await deleteStored(tx, drop);
  return rows.map(({ seq }) => seq);
}

/** SQL: the columns of a drop that name its target, its client id, and the publisher of its retained messages. */
function targetsOf(drop: NewDrop): RawBuilder<unknown> {
  const columns = (given: Partial<Record<keyof typeof COLUMNS, RawBuilder<unknown>>>) =>
    sql.join(
      Object.entries(COLUMNS).map(
        ([name, type]) =>
          sql`${given[name as keyof typeof COLUMNS] ?? sql`NULL`}::${sql.raw(type)} AS ${sql.ref(name)}`,
      ),
    );
  if ("certificateIds" in drop) {
    const given = { certificate_id: sql`c.id`, client_id: sql`c.device_id`, owner_id: sql`c.device_uid` };
    return sql`SELECT ${columns(given)} FROM shared_certificates c WHERE c.id = ANY (${[...drop.certificateIds]}::uuid[])`;
  }
  if ("deviceUid" in drop) {
    const given = { device_uid: sql`d.uid`, client_id: sql`d.id`, owner_id: sql`d.uid` };
    return sql`SELECT ${columns(given)} FROM shared_devices d WHERE d.uid = ${drop.deviceUid}`;
  }
  if ("sessionIds" in drop)
    return sql`SELECT ${columns({ session_id: sql`s.id` })} FROM unnest(${[...drop.sessionIds]}::uuid[]) AS s(id)`;
  const id = sql`${drop.mqttClientId}`;
  return sql`SELECT ${columns({ mqtt_client_id: id, client_id: sql`${drop.clientId}`, owner_id: id })}`;
}

const COLUMNS = {
  certificate_id: "uuid",
  device_uid: "uuid",
  mqtt_client_id: "uuid",
  session_id: "uuid",
  client_id: "text",
  owner_id: "uuid",
};

/**
 * SQL: the targets with each node that needs the drop. That is a node with a session of them, or one that may have a
 * session lost in a crash of the database; one that has not closed a session that another node has taken over; and, if
 * the publisher loses its right, one that may cache its retained messages.
 */
function concernedBy(drop: NewDrop, now: Date): RawBuilder<unknown> {
  if ("sessionIds" in drop) return sql`SELECT t.*, ${drop.nodeId}::uuid AS node_id FROM targets t`;
  const retained = drop.staysValid
    ? sql`false`
    : sql`EXISTS (SELECT FROM retained_messages r WHERE r.owner_id = t.owner_id)`;
  return sql`
    SELECT t.*, s.node_id FROM targets t JOIN mqtt_sessions s ON ${sessionsOf(drop)}
    UNION
    SELECT t.*, d.node_id FROM targets t JOIN session_drops d ON d.client_id = t.client_id AND d.at > ${addMs(now, -TAKEOVER_MS)}
     WHERE NOT EXISTS (SELECT FROM session_drop_acks a WHERE a.seq = d.seq AND a.node_id = d.node_id)
    UNION
    SELECT t.*, n.id FROM targets t JOIN broker_nodes n
        ON ${drop.toEveryNode ?? false} OR ${isIncomplete} OR ${retained}
     WHERE ${isLive}`;
}

/**
 * SQL: the sessions of a target, found by the client id, which is unique (spec 4.10). No other index finds one client's
 * sessions.
 */
function sessionsOf(drop: NewDrop): RawBuilder<unknown> {
  const own = sql`s.client_id = t.client_id`;
  if ("certificateIds" in drop) return sql`${own} AND s.certificate_id = t.certificate_id`;
  return "deviceUid" in drop ? sql`${own} AND s.device_uid = t.device_uid` : own;
}

/**
 * Deletes the stored session: a revoked, deleted or disabled client must not later receive earlier messages
 * (docs/spec-decisions.md).
 */
async function deleteStored(tx: Db, drop: NewDrop): Promise<void> {
  if ("sessionIds" in drop) return;
  const which =
    "certificateIds" in drop
      ? sql`certificate_id = ANY (${[...drop.certificateIds]}::uuid[])`
      : sql`owner_id = ${"deviceUid" in drop ? drop.deviceUid : drop.mqttClientId}`;
  await sql`
    WITH gone AS (DELETE FROM stored_sessions WHERE ${which} RETURNING owner_id),
         voided AS (DELETE FROM wills w USING gone WHERE w.owner_id = gone.owner_id)
    SELECT pg_notify('muster_stored_sessions', owner_id::text) FROM gone`.execute(tx);
}
