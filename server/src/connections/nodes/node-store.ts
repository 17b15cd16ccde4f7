import { type RawBuilder, sql } from "kysely";
import type { Db, Tx } from "../../db/database.ts";
import { SCHEMA_NUMBER } from "../../db/migrate.ts";
import { setOffline } from "../../devices/devices.ts";
import { ROWS_OF_STATEMENT } from "../../lib/batching/batches-of.ts";
import { isComplete } from "./complete-store.ts";

/**
 * SQL: conditions on `broker_nodes n`. Stale: the node's lease has ended. Reaped: its sessions are being removed, and
 * it has had no heartbeat since. Heartbeats are written and compared by the database's own clock, so clock skew between
 * processes ends no lease.
 */
const isStale = sql`(n.beat_at < clock_timestamp() - n.lease_seconds * interval '1 second')`;
const isReaped = sql`(n.reaped_at IS NOT NULL AND n.reaped_at >= n.beat_at)`;
export const isLive = sql`(NOT ${isStale} AND NOT ${isReaped})`;
/** SQL: a condition on `broker_nodes own`: the longest-running live node with periodic jobs. */
const isLeader = sql`(own.part IN ('all', 'jobs') AND NOT EXISTS (
  SELECT FROM broker_nodes n
   WHERE n.part IN ('all', 'jobs') AND ${isLive} AND (n.started_at, n.id) < (own.started_at, own.id)))`;

/** The maximum interval between the last heartbeat that a node knows of and one stored while it reaps others. */
const BETWEEN_BEATS = sql.lit("5 seconds");

/** The facts that a node reports about its process. */
export interface NodeProcess {
  host: string;
  version: string;
  /** The part of the service that it runs. */
  part: string;
}

/**
 * Records a node. @param node `leaseSeconds`: the time without a heartbeat after which other nodes reap it;
 * `isComplete`: all its sessions are recorded
 *
 * @returns the time of its heartbeat, as written by the database
 */
export async function insertNode(
  db: Db,
  nodeId: string,
  node: NodeProcess & { leaseSeconds: number; isComplete: boolean },
): Promise<string> {
  const { host, version, part, leaseSeconds, isComplete } = node;
  const { rows } = await sql<{ beatAt: string }>`
    WITH node AS (
      INSERT INTO broker_nodes (id, started_at, beat_at, host, version, part, lease_seconds, schema_number)
      VALUES (${nodeId}, clock_timestamp(), clock_timestamp(), ${host}, ${version}, ${part}, ${leaseSeconds}, ${SCHEMA_NUMBER})
      ON CONFLICT (id) DO UPDATE SET beat_at = excluded.beat_at, reaped_at = NULL
      RETURNING id, beat_at
    ), complete AS (
      INSERT INTO complete_nodes (node_id) SELECT id FROM node WHERE ${isComplete}
    )
    SELECT beat_at::text AS "beatAt" FROM node`.execute(db);
  return rows[0]!.beatAt;
}

/** The duties of a node, read with its heartbeat. */
export interface NodeDuties {
  /** Whether the node must end its sessions. */
  isDraining: boolean;
  /** Whether the node runs the periodic jobs that one process runs for all. */
  isLeader: boolean;
  /** The time of this heartbeat, as written by the database. */
  beatAt: string;
  /** Whether every session of the node is recorded. */
  isComplete: boolean;
}

/** @returns undefined if another node has reaped this one */
export async function writeHeartbeat(db: Db, nodeId: string): Promise<NodeDuties | undefined> {
  const { rows } = await sql<NodeDuties>`
    WITH own AS (
      UPDATE broker_nodes n SET beat_at = clock_timestamp() WHERE id = ${nodeId} AND NOT ${isReaped}
      RETURNING n.id, n.part, n.started_at, n.draining_at, n.beat_at
    ) SELECT draining_at IS NOT NULL AS "isDraining", ${isLeader} AS "isLeader", beat_at::text AS "beatAt",
             ${isComplete(sql`own.id`)} AS "isComplete" FROM own`.execute(db);
  return rows[0];
}

export interface NodeRow {
  id: string;
  host: string;
  version: string;
  part: string;
  started_at: Date;
  beat_at: Date;
  draining_at: Date | null;
  is_stale: boolean;
  sessions: string;
}

export async function readNodes(db: Db): Promise<NodeRow[]> {
  const { rows } = await sql<NodeRow>`
    SELECT n.id, n.host, n.version, n.part, n.started_at, n.beat_at, n.draining_at, ${isStale} AS is_stale,
           (SELECT count(*) FROM mqtt_sessions s WHERE s.node_id = n.id) AS sessions
      FROM broker_nodes n ORDER BY n.host, n.started_at, n.id`.execute(db);
  return rows;
}

/** SQL: a condition on `broker_nodes n`: the node accepts MQTT connections. */
const accepts = sql`(${isLive} AND n.draining_at IS NULL AND n.part <> 'jobs')`;

export async function countAccepting(db: Db): Promise<number> {
  const { rows } = await sql<{ n: number }>`SELECT count(*)::int AS n FROM broker_nodes n WHERE ${accepts}`.execute(db);
  return rows[0]!.n;
}

/** The number of nodes of all services in one state and with one part. */
export interface NodeCount {
  part: string;
  state: "running" | "draining" | "silent";
  count: number;
}

/** Returns the number of nodes of all services by state and part, including zero counts. */
export async function countNodes(db: Db): Promise<NodeCount[]> {
  const { rows } = await sql<NodeCount>`
    SELECT p.part, s.state, count(n.id)::int AS count
      FROM unnest(ARRAY['all', 'serve', 'jobs']) p(part) CROSS JOIN unnest(ARRAY['running', 'draining', 'silent']) s(state)
      LEFT JOIN broker_nodes n ON coalesce(nullif(n.part, ''), 'all') = p.part
       AND CASE WHEN ${isStale} THEN 'silent' WHEN n.draining_at IS NULL THEN 'running' ELSE 'draining' END = s.state
     GROUP BY p.part, s.state`.execute(db);
  return rows;
}

export async function setDraining(db: Db, nodeIds: readonly string[]): Promise<void> {
  await sql`
    UPDATE broker_nodes SET draining_at = coalesce(draining_at, clock_timestamp())
     WHERE id = ANY (${[...nodeIds]}::uuid[])`.execute(db);
}

/**
 * The nodes to reap: stale ones, as seen by another node whose own last heartbeat was at `beatAt`; all others, if no
 * other process can exist; or one whose process has ended.
 */
export type Reaped = { staleBut: string; beatAt: string } | { allBut: string } | { ended: string };

/**
 * Removes nodes with their sessions, and sets the devices of those sessions offline at `now`. The sessions are removed
 * in several statements. Until the last one the node's record stays, marked, so a node that is still running notices at
 * its next heartbeat. Fires `broker_nodes_gone`.
 *
 * @returns the number of removed nodes
 */
export async function reapNodes(db: Db, which: Reaped, now: Date): Promise<number> {
  if (!(await markReaped(db, which))) return 0;
  while ((await removeSessions(db, now)) === ROWS_OF_STATEMENT);
  const { rows } = await sql`
    DELETE FROM broker_nodes n
     WHERE ${isReaped} AND NOT EXISTS (SELECT FROM mqtt_sessions s WHERE s.node_id = n.id)
     RETURNING n.id`.execute(db);
  return rows.length;
}

/** @returns whether there are sessions to remove, including those of a node that another process has marked */
async function markReaped(db: Db, which: Reaped): Promise<boolean> {
  const { rows } = await sql<{ any: boolean }>`
    WITH marked AS (
      UPDATE broker_nodes SET reaped_at = clock_timestamp() WHERE id IN (
        SELECT n.id FROM broker_nodes n WHERE NOT ${isReaped} AND ${conditionOf(which)} FOR UPDATE SKIP LOCKED
      ) RETURNING id
    ), incomplete AS (
      DELETE FROM complete_nodes c USING marked WHERE c.node_id = marked.id
    ), forgotten AS (
      DELETE FROM completing_nodes c USING marked WHERE c.node_id = marked.id
    ) SELECT EXISTS (SELECT FROM marked) OR EXISTS (SELECT FROM broker_nodes n WHERE ${isReaped}) AS any`.execute(db);
  return rows[0]!.any;
}

/** Removes sessions of reaped nodes. @returns how many, at most the number allowed per statement */
async function removeSessions(db: Db, now: Date): Promise<number> {
  const { rows } = await sql<{ removed: number }>`
    WITH reaped AS (
      SELECT n.id FROM broker_nodes n WHERE ${isReaped} FOR UPDATE SKIP LOCKED
    ), chunk AS (
      SELECT s.client_id FROM mqtt_sessions s JOIN reaped ON s.node_id = reaped.id LIMIT ${ROWS_OF_STATEMENT}
    ), theirs AS (
      SELECT s.client_id, s.session_id FROM mqtt_sessions s JOIN chunk USING (client_id) JOIN reaped ON s.node_id = reaped.id
       ORDER BY s.client_id FOR UPDATE OF s
    ), ended AS (
      DELETE FROM mqtt_sessions s USING theirs WHERE s.client_id = theirs.client_id AND s.session_id = theirs.session_id
      RETURNING s.device_uid, s.seq, s.session_id
    ), ${setOffline(sql`ended`, "node_lost", now)},
    parted AS (
      UPDATE stored_sessions t SET expires_at = ${now}::timestamptz + t.expiry_seconds * interval '1 second'
        FROM ended WHERE t.session_id = ended.session_id
      RETURNING pg_notify('muster_stored_sessions', t.owner_id::text)
    ), delayed AS (
      UPDATE wills w SET due_at = ${now}::timestamptz + w.delay_seconds * interval '1 second'
        FROM ended WHERE w.session_id = ended.session_id AND w.due_at IS NULL
    )
    SELECT count(*)::int AS removed FROM chunk`.execute(db);
  return rows[0]!.removed;
}

function conditionOf(which: Reaped): RawBuilder<unknown> {
  if ("ended" in which) return sql`n.id = ${which.ended}`;
  if ("allBut" in which) return sql`n.id <> ${which.allBut}`;
  // PostgreSQL may have received the statement before it was suspended, and execute it on resuming, when all nodes have
  // been without a heartbeat.
  return sql`n.id <> ${which.staleBut} AND ${isStale} AND EXISTS (
    SELECT FROM broker_nodes own WHERE own.id = ${which.staleBut}
       AND own.beat_at >= clock_timestamp() - own.lease_seconds * interval '1 second'
       AND own.beat_at <= ${which.beatAt}::timestamptz + ${BETWEEN_BEATS}::interval)`;
}

/**
 * Removes all nodes with their sessions from a restored database that no process serves. Stored sessions and their
 * wills are removed, too, because clients may have acknowledged their messages since the backup. Fires
 * `broker_nodes_gone`.
 */
export async function deleteAllNodes(tx: Tx): Promise<void> {
  await tx.deleteFrom("broker_nodes").execute();
  await tx.deleteFrom("stored_sessions").execute();
  await tx.deleteFrom("wills").execute();
}

/** Fires `broker_nodes_gone`. */
export async function deleteNode(db: Db, nodeId: string): Promise<void> {
  await db.deleteFrom("broker_nodes").where("id", "=", nodeId).execute();
}
