import { type RawBuilder, sql } from "kysely";
import type { Db } from "../db/database.ts";
import { pruneAlong } from "../db/prune.ts";
import { runStatement, statement } from "../db/statement.ts";
import { isLive } from "./nodes/node-store.ts";

/** Whose sessions to close: those opened with one certificate, a device's, an MQTT client's, or one session. */
export type DropTarget =
  | { certificateId: string }
  | { deviceUid: string }
  | { mqttClientId: string }
  | { sessionId: string };

export type SessionDrop = DropTarget & { reason: string };

/** A drop to be recorded. Unless the stored session stays, it is deleted in the same transaction. */
export type NewDrop = SessionDrop & { keepsStored?: true };

interface DropRow {
  seq: string;
  certificate_id: string | null;
  device_uid: string | null;
  mqtt_client_id: string | null;
  session_id: string | null;
  reason: string;
}

/**
 * Puts a session drop into the outbox, in the caller's transaction: it exists if and only if the change does. Every node
 * reads it on NOTIFY after the commit, or at its next poll.
 *
 * @returns the drop's number, for `awaitDrop`
 */
export async function enqueueDrop(tx: Db, drop: NewDrop, now: Date): Promise<string> {
  const target = drop as Partial<Record<"certificateId" | "deviceUid" | "mqttClientId" | "sessionId", string>>;
  const { rows } = await sql<{ seq: string }>`
    WITH enqueued AS (
      INSERT INTO session_drops (at, certificate_id, device_uid, mqtt_client_id, session_id, reason)
      VALUES (${now}, ${target.certificateId ?? null}, ${target.deviceUid ?? null}, ${target.mqttClientId ?? null},
              ${target.sessionId ?? null}, ${drop.reason}) RETURNING seq
    ) SELECT seq, pg_notify('muster_drops', seq::text) FROM enqueued`.execute(tx);
  if (!drop.keepsStored) {
    const owner = target.deviceUid ?? target.mqttClientId;
    if (owner !== undefined) await deleteStored(tx, sql`owner_id = ${owner}`);
    else if (target.certificateId) await deleteStored(tx, sql`certificate_id = ${target.certificateId}`);
  }
  return rows[0]!.seq;
}

/** What was revoked, deleted or disabled gets nothing later that was meant for it (docs/spec-decisions.md). */
async function deleteStored(tx: Db, which: RawBuilder<unknown>): Promise<void> {
  await sql`
    WITH gone AS (DELETE FROM stored_sessions WHERE ${which} RETURNING owner_id),
         voided AS (DELETE FROM delayed_wills w USING gone WHERE w.owner_id = gone.owner_id)
    SELECT pg_notify('muster_stored_sessions', owner_id::text) FROM gone`.execute(tx);
}

/**
 * Puts a drop for each of these certificates into the outbox, as {@link enqueueDrop} does.
 *
 * @returns the number of the last one, `undefined` for none: nodes deliver in order, so awaiting the last awaits all
 */
export async function enqueueDrops(
  tx: Db,
  certificateIds: readonly string[],
  reason: string,
  now: Date,
): Promise<string | undefined> {
  const { rows } = await sql<{ last: string | null }>`
    WITH enqueued AS (
      INSERT INTO session_drops (at, certificate_id, reason)
      SELECT ${now}, c.id, ${reason} FROM unnest(${[...certificateIds]}::uuid[]) AS c (id) RETURNING seq
    ) SELECT max(seq) AS last, pg_notify('muster_drops', max(seq)::text) FROM enqueued`.execute(tx);
  await deleteStored(tx, sql`certificate_id = ANY (${[...certificateIds]}::uuid[])`);
  return rows[0]?.last ?? undefined;
}

/** The number a starting node begins at: far enough back for transactions that are still open. */
export async function firstSeq(db: Db, margin: number): Promise<bigint> {
  const { rows } = await sql<{ newest: string | null }>`SELECT max(seq) AS newest FROM session_drops`.execute(db);
  return BigInt(rows[0]?.newest ?? 0) - BigInt(margin);
}

const pending = statement<{ nodeId: string; floor: string; limit: number }, DropRow>(
  "pending-drops",
  (p) => sql`
  SELECT d.seq, d.certificate_id, d.device_uid, d.mqtt_client_id, d.session_id, d.reason
    FROM session_drops d
   WHERE d.seq > ${p.floor}::bigint AND (d.node_id IS NULL OR d.node_id = ${p.nodeId}::uuid)
     AND NOT EXISTS (SELECT FROM session_drop_acks a WHERE a.seq = d.seq AND a.node_id = ${p.nodeId}::uuid)
   ORDER BY d.seq LIMIT ${p.limit}`,
);

/**
 * Drops beyond `floor` that this node has not acknowledged. Found by acknowledgement rather than by the last number read:
 * numbers are drawn before the commit, so a lower one may appear after a higher one.
 */
export async function pendingDrops(
  db: Db,
  nodeId: string,
  floor: bigint,
  limit: number,
): Promise<{ seq: string; drop: SessionDrop }[]> {
  const rows = await runStatement(db, pending, { nodeId, floor: floor.toString(), limit });
  return rows.map((row) => ({ seq: row.seq, drop: { ...targetOf(row), reason: row.reason } }));
}

function targetOf(row: DropRow): DropTarget {
  if (row.certificate_id !== null) return { certificateId: row.certificate_id };
  if (row.device_uid !== null) return { deviceUid: row.device_uid };
  if (row.mqtt_client_id !== null) return { mqttClientId: row.mqtt_client_id };
  return { sessionId: row.session_id! };
}

/** Records that this node has closed these sessions, and notifies the waiting callers. A reaped node records nothing. */
export async function acknowledge(db: Db, nodeId: string, seqs: string[]): Promise<void> {
  await sql`
    WITH acked AS (
      INSERT INTO session_drop_acks (seq, node_id)
      SELECT s.seq, n.id FROM unnest(${seqs}::bigint[]) AS s(seq), broker_nodes n WHERE n.id = ${nodeId}
      ON CONFLICT DO NOTHING RETURNING seq
    ) SELECT pg_notify('muster_drop_acks', '') WHERE EXISTS (SELECT 1 FROM acked)`.execute(db);
}

/** Whether every live node that the drop is for has acknowledged it. */
export async function isAcknowledged(db: Db, seq: string): Promise<boolean> {
  const { rows } = await sql<{ open: boolean }>`
    SELECT EXISTS (
      SELECT 1 FROM broker_nodes n WHERE ${isLive}
         AND NOT EXISTS (SELECT 1 FROM session_drops d WHERE d.seq = ${seq} AND d.node_id <> n.id)
         AND NOT EXISTS (SELECT 1 FROM session_drop_acks a WHERE a.seq = ${seq} AND a.node_id = n.id)
    ) AS open`.execute(db);
  return rows[0]?.open === false;
}

/** Removes drops older than `before`, oldest first. A node that has not acknowledged one of a day ago is gone. */
export async function pruneDrops(db: Db, before: Date, stopped?: AbortSignal): Promise<void> {
  await pruneAlong(
    "0",
    async (from, limit) => {
      // Drops are numbered in the order of their times, but for transactions that overlap.
      const { rows } = await sql<{ rows: string; last: string | null }>`
        WITH batch AS (
          SELECT seq, at FROM session_drops WHERE seq > ${from}::bigint ORDER BY seq LIMIT ${limit}
        ), gone AS (
          DELETE FROM session_drops WHERE seq = ANY (ARRAY(SELECT seq FROM batch WHERE at < ${before})) RETURNING seq
        ) SELECT count(*) AS rows, max(seq) AS last FROM gone`.execute(db);
      return { rows: Number(rows[0]!.rows), last: rows[0]!.last };
    },
    { stopped },
  );
}
