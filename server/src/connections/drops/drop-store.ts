import { sql } from "kysely";
import type { Db } from "../../db/database.ts";
import { pruneAlong } from "../../db/prune.ts";
import { runStatement, statement } from "../../db/statement.ts";
import { isIncomplete } from "../nodes/complete-store.ts";
import { isLive } from "../nodes/node-store.ts";
import type { DropNumbers, DropTarget, SessionDrop } from "./enqueue-drop-store.ts";

interface DropRow {
  seq: string;
  at: string;
  certificate_id: string | null;
  device_uid: string | null;
  mqtt_client_id: string | null;
  session_id: string | null;
  reason: string;
  replaced_from: string | null;
  xmin: string;
  xmax: string;
}

/**
 * The transactions that were open when rows were read: all before `xmin` had ended, none from `xmax` on had begun
 * (`pg_snapshot`).
 */
export interface Snapshot {
  xmin: string;
  xmax: string;
}

/** A drop as read from the database. */
export interface ReadDrop {
  seq: string;
  /** The time when it was recorded, as written by the database. */
  at: string;
  drop: SessionDrop;
}

/** A drop in the outbox. */
export interface PendingDrop extends ReadDrop {
  /** For a takeover: the address from which the client is connected now. */
  replacedFrom: string | undefined;
  snapshot: Snapshot;
}

/** Returns the highest drop number. */
export async function newestSeq(db: Db): Promise<bigint> {
  const { rows } = await sql<{ newest: string | null }>`SELECT max(seq) AS newest FROM session_drops`.execute(db);
  return BigInt(rows[0]?.newest ?? 0);
}

const pending = statement<{ nodeId: string; floor: string; limit: number }, DropRow>(
  "pending-drops",
  (p) => sql`
  SELECT d.seq, d.at::text AS at, d.certificate_id, d.device_uid, d.mqtt_client_id, d.session_id, d.reason, (
    SELECT s.remote_address FROM mqtt_sessions s WHERE s.client_id = d.client_id AND s.session_id <> d.session_id
  ) AS replaced_from, pg_snapshot_xmin(pg_current_snapshot())::text AS xmin, pg_snapshot_xmax(pg_current_snapshot())::text AS xmax
    FROM session_drops d
   WHERE d.node_id = ${p.nodeId}::uuid AND d.seq > ${p.floor}::bigint
     AND NOT EXISTS (SELECT FROM session_drop_acks a WHERE a.seq = d.seq AND a.node_id = ${p.nodeId}::uuid)
   ORDER BY d.seq LIMIT ${p.limit}`,
);

/**
 * Returns drops for this node beyond `floor` that it has not acknowledged. Drops are found by acknowledgement instead
 * of by the last number read: numbers are drawn before the commit, so a lower one may appear after a higher one.
 */
export async function pendingDrops(db: Db, nodeId: string, floor: bigint, limit: number): Promise<PendingDrop[]> {
  const rows = await runStatement(db, pending, { nodeId, floor: floor.toString(), limit });
  return rows.map((row) => ({
    seq: row.seq,
    at: row.at,
    drop: { ...targetOf(row), reason: row.reason },
    replacedFrom: row.replaced_from ?? undefined,
    snapshot: { xmin: row.xmin, xmax: row.xmax },
  }));
}

function targetOf(row: DropRow): DropTarget {
  if (row.certificate_id !== null) return { certificateId: row.certificate_id };
  if (row.device_uid !== null) return { deviceUid: row.device_uid };
  if (row.mqtt_client_id !== null) return { mqttClientId: row.mqtt_client_id };
  return { sessionId: row.session_id! };
}

/** SQL: the target whose sessions a drop `d` closes. */
const targetId = sql`coalesce(d.certificate_id, d.device_uid, d.mqtt_client_id, d.session_id)`;

/**
 * Records that this node has closed these sessions, and notifies the waiting callers. A reaped node records nothing. A
 * drop lost in a crash of the database since it was read is skipped, because another may have its number by now.
 *
 * @returns the highest number among those that still exist
 */
export async function acknowledge(db: Db, nodeId: string, drops: readonly ReadDrop[]): Promise<string | undefined> {
  const targets = drops.map(({ drop: { reason, ...target } }) => Object.values(target)[0]!);
  const { rows } = await sql<{ newest: string | null }>`
    WITH closed AS (
      SELECT d.seq
        FROM unnest(${drops.map(({ seq }) => seq)}::bigint[], ${drops.map(({ at }) => at)}::timestamptz[], ${targets}::uuid[]) AS c(seq, at, target)
        JOIN session_drops d ON d.seq = c.seq AND d.at = c.at AND ${targetId} = c.target
    ), acked AS (
      INSERT INTO session_drop_acks (seq, node_id)
      SELECT c.seq, n.id FROM closed c, broker_nodes n WHERE n.id = ${nodeId}
      ON CONFLICT DO NOTHING RETURNING seq
    )
    SELECT max(seq) AS newest, (SELECT pg_notify('muster_drop_acks', '') WHERE EXISTS (SELECT FROM acked)) AS notified
      FROM closed`.execute(db);
  return rows[0]!.newest ?? undefined;
}

/** @returns the drops that a live target node has not acknowledged */
export async function unacknowledged(db: Db, seqs: DropNumbers): Promise<Set<string>> {
  const { rows } = await sql<{ seq: string }>`
    SELECT d.seq FROM session_drops d JOIN broker_nodes n ON n.id = d.node_id
     WHERE d.seq = ANY (${[...seqs]}::bigint[]) AND ${isLive}
       AND NOT EXISTS (SELECT 1 FROM session_drop_acks a WHERE a.seq = d.seq AND a.node_id = n.id)`.execute(db);
  return new Set(rows.map(({ seq }) => seq));
}

/** A session that has replaced others of its client. */
export interface ReplacingSession {
  clientId: string;
  sessionId: string;
}

/** A replaced session that its node has not closed. */
export interface OpenReplaced {
  sessionId: string;
  /** Whether its node has a heartbeat. */
  isLive: boolean;
}

/** The sessions that a client may still have on other nodes. */
export interface ReplacedState {
  open: OpenReplaced[];
  /** Whether a live node may have a session that is not recorded. */
  hasUnknown: boolean;
}

/**
 * Returns the unclosed earlier sessions of each session's client. Sessions replaced by those are included: a client may
 * reconnect again before its second-last session is closed.
 *
 * @param since only sessions replaced after this time
 * @returns one state per session, in order
 */
export async function openReplaced(
  db: Db,
  sessions: readonly ReplacingSession[],
  since: Date,
): Promise<ReplacedState[]> {
  const { rows } = await sql<OpenReplaced & { of: string | null }>`
    SELECT r.session_id AS of, d.session_id AS "sessionId", ${isLive} AS "isLive"
      FROM unnest(${sessions.map((s) => s.clientId)}::text[], ${sessions.map((s) => s.sessionId)}::uuid[]) AS r(client_id, session_id)
      JOIN session_drops d ON d.client_id = r.client_id AND d.at > ${since} AND d.session_id <> r.session_id
      JOIN broker_nodes n ON n.id = d.node_id
     WHERE NOT EXISTS (SELECT FROM session_drop_acks a WHERE a.seq = d.seq AND a.node_id = n.id)
    UNION ALL
    SELECT NULL, NULL, true FROM broker_nodes n WHERE ${isLive} AND ${isIncomplete}`.execute(db);
  const open = Map.groupBy(rows, ({ of }) => of);
  const hasUnknown = open.has(null);
  return sessions.map(({ sessionId }) => ({ open: open.get(sessionId) ?? [], hasUnknown }));
}

/** Removes drops older than `before`, oldest first. A node that has not acknowledged a drop for a day is gone. */
export async function pruneDrops(db: Db, before: Date, stopped?: AbortSignal): Promise<void> {
  await pruneAlong(
    "0",
    async (from, limit) => {
      // Drops are numbered in the order of their times, except for overlapping transactions.
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
