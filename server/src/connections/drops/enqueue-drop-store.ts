import { type RawBuilder, sql } from "kysely";
import type { Db } from "../../db/database.ts";
import { addMs, MINUTE } from "../../lib/clock.ts";
import { isIncomplete } from "../nodes/complete-store.ts";
import { isLive } from "../nodes/node-store.ts";

/** Whose sessions to close: those opened with one certificate, a device's, an MQTT client's, or one session. */
export type DropTarget =
  | { certificateId: string }
  | { deviceUid: string }
  | { mqttClientId: string }
  | { sessionId: string };

export type SessionDrop = DropTarget & { reason: string };

/** Numbers of drops, one for each node that has sessions of the target. None where no node has any. */
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
   * What the sessions were opened with is valid as before. Otherwise its revocation must precede in the same transaction, and the stored
   * session is deleted in it, too.
   */
  staysValid?: true;
  /** Concerns nodes that may be opening such a session, too, although the target is not locked against that: a password was replaced. */
  toEveryNode?: true;
};

/** A node that has not closed a session that was taken over is waited for; one that is stuck for longer gets the drop of the take-over only. */
export const TAKEOVER_MS = MINUTE;

/**
 * Puts session drops into the outbox, in the caller's transaction: they exist if and only if the change does. Of each target every node gets one
 * that has sessions of it. The change precedes in the same transaction, under a lock that sessions take which are being opened (`lockForSessions`):
 * each is recorded before this reads them, or refused; so no node has one that this does not find. A node reads the outbox on NOTIFY after the
 * commit, or at its next poll.
 *
 * @returns for `awaitDrops`
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

/** SQL: the columns of a drop that name its target, its client id, and who publishes what it has retained. */
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
 * SQL: the targets with each node that has a session of them, or may have one that a crash of the database has taken back; that has not closed one which
 * another node has taken over; or that may have their retained messages in memory where their publisher loses its right.
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

/** By the client id, which is the device's own (spec 4.10): sessions have no other index that finds those of one client. */
function sessionsOf(drop: NewDrop): RawBuilder<unknown> {
  const own = sql`s.client_id = t.client_id`;
  if ("certificateIds" in drop) return sql`${own} AND s.certificate_id = t.certificate_id`;
  return "deviceUid" in drop ? sql`${own} AND s.device_uid = t.device_uid` : own;
}

/** What was revoked, deleted or disabled gets nothing later that was meant for it (docs/spec-decisions.md). */
async function deleteStored(tx: Db, drop: NewDrop): Promise<void> {
  if ("sessionIds" in drop) return;
  const which =
    "certificateIds" in drop
      ? sql`certificate_id = ANY (${[...drop.certificateIds]}::uuid[])`
      : sql`owner_id = ${"deviceUid" in drop ? drop.deviceUid : drop.mqttClientId}`;
  await sql`
    WITH gone AS (DELETE FROM stored_sessions WHERE ${which} RETURNING owner_id),
         voided AS (DELETE FROM delayed_wills w USING gone WHERE w.owner_id = gone.owner_id)
    SELECT pg_notify('muster_stored_sessions', owner_id::text) FROM gone`.execute(tx);
}
