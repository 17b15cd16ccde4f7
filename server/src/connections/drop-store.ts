import { type Db, runRaw } from "../db/database.ts";

/** Whose sessions end: those opened with one certificate, a device's, an MQTT client's, or one session. */
export type DropTarget =
  | { certificateId: string }
  | { deviceUid: string }
  | { mqttClientId: string }
  | { sessionId: string };

export type SessionDrop = DropTarget & { reason: string };

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
 * learns of it by NOTIFY after the commit, or by its next look.
 *
 * @returns the drop's number, for `awaitDrop`
 */
export async function enqueueDrop(tx: Db, drop: SessionDrop, now: Date): Promise<string> {
  const target = drop as Partial<Record<"certificateId" | "deviceUid" | "mqttClientId" | "sessionId", string>>;
  const rows = await runRaw<{ seq: string }>(
    tx,
    `WITH enqueued AS (
       INSERT INTO session_drops (at, certificate_id, device_uid, mqtt_client_id, session_id, reason)
       VALUES ($1, $2, $3, $4, $5, $6) RETURNING seq
     ) SELECT seq, pg_notify('muster_drops', seq::text) FROM enqueued`,
    [
      now,
      target.certificateId ?? null,
      target.deviceUid ?? null,
      target.mqttClientId ?? null,
      target.sessionId ?? null,
      drop.reason,
    ],
  );
  return rows[0]!.seq;
}

/** Where a fresh node starts to look: far enough back for transactions that are still open. */
export async function firstSeq(db: Db, margin: number): Promise<bigint> {
  const rows = await runRaw<{ newest: string | null }>(db, "SELECT max(seq) AS newest FROM session_drops", []);
  return BigInt(rows[0]?.newest ?? 0) - BigInt(margin);
}

/**
 * Drops beyond `floor` that this node has not acknowledged. Asked by acknowledgement rather than by "newer than the last":
 * numbers are given before the commit, so a lower one may appear after a higher one.
 */
export async function pendingDrops(
  db: Db,
  nodeId: string,
  floor: bigint,
  limit: number,
): Promise<{ seq: string; drop: SessionDrop }[]> {
  const rows = await runRaw<DropRow>(
    db,
    `SELECT d.seq, d.certificate_id, d.device_uid, d.mqtt_client_id, d.session_id, d.reason
       FROM session_drops d
      WHERE d.seq > $2 AND NOT EXISTS (SELECT 1 FROM session_drop_acks a WHERE a.seq = d.seq AND a.node_id = $1)
      ORDER BY d.seq LIMIT $3`,
    [nodeId, floor.toString(), limit],
  );
  return rows.map((row) => ({ seq: row.seq, drop: { ...targetOf(row), reason: row.reason } }));
}

function targetOf(row: DropRow): DropTarget {
  if (row.certificate_id !== null) return { certificateId: row.certificate_id };
  if (row.device_uid !== null) return { deviceUid: row.device_uid };
  if (row.mqtt_client_id !== null) return { mqttClientId: row.mqtt_client_id };
  return { sessionId: row.session_id! };
}

/** Notes that this node holds none of these sessions any more, and tells whoever waits. A reaped node notes nothing. */
export async function acknowledge(db: Db, nodeId: string, seqs: string[]): Promise<void> {
  await runRaw(
    db,
    `WITH acked AS (
       INSERT INTO session_drop_acks (seq, node_id)
       SELECT s.seq, n.id FROM unnest($2::bigint[]) AS s(seq), broker_nodes n WHERE n.id = $1
       ON CONFLICT DO NOTHING RETURNING seq
     ) SELECT pg_notify('muster_drop_acks', '') WHERE EXISTS (SELECT 1 FROM acked)`,
    [nodeId, seqs],
  );
}

/** Whether every node that is alive has acknowledged the drop. */
export async function isAcknowledged(db: Db, seq: string): Promise<boolean> {
  const rows = await runRaw<{ open: boolean }>(
    db,
    `SELECT EXISTS (
       SELECT 1 FROM broker_nodes n WHERE n.beat_at > clock_timestamp() - interval '10 seconds'
          AND NOT EXISTS (SELECT 1 FROM session_drop_acks a WHERE a.seq = $1 AND a.node_id = n.id)
     ) AS open`,
    [seq],
  );
  return rows[0]?.open === false;
}

/** Removes drops older than `before`. @returns how many */
export async function pruneDrops(db: Db, before: Date): Promise<number> {
  const rows = await runRaw(db, "DELETE FROM session_drops WHERE at < $1 RETURNING seq", [before]);
  return rows.length;
}
