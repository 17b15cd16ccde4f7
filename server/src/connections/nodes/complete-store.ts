import { type RawBuilder, sql } from "kysely";
import type { Db } from "../../db/database.ts";
import { refusalCode, refuse } from "../../db/refusal.ts";

const INCOMPLETE = "node_incomplete";
/** An upper limit on the sessions that a crash of PostgreSQL may lose. */
const LOST_AT_MOST = 20_000;

/**
 * SQL: every session of the node is recorded. A crash of PostgreSQL that may have lost sessions makes every node
 * incomplete.
 */
export const isComplete = (nodeId: RawBuilder<unknown>): RawBuilder<boolean> =>
  sql`EXISTS (SELECT FROM complete_nodes c WHERE c.node_id = ${nodeId})`;

/** SQL: a condition on `broker_nodes n`: the node may have sessions that are not recorded. */
export const isIncomplete = sql`(n.part <> 'jobs' AND NOT ${isComplete(sql`n.id`)})`;

/** Whether a statement was refused by {@link mustBeComplete}. */
export const isNodeIncomplete = (error: unknown): boolean => refusalCode(error) === INCOMPLETE;

/** Builds a condition that fails the whole statement if the node is not complete. */
export const mustBeComplete = (nodeId: RawBuilder<unknown>): RawBuilder<boolean> =>
  sql`CASE WHEN ${isComplete(nodeId)} THEN true ELSE ${refuse(INCOMPLETE)} END`;

export async function readComplete(db: Db, nodeId: string): Promise<boolean> {
  const { rows } = await sql<{ complete: boolean }>`SELECT ${isComplete(sql`${nodeId}::uuid`)} AS complete`.execute(db);
  return rows[0]!.complete;
}

/**
 * Begins to re-record the node's sessions. A crash of the database deletes the attempt, and so does a node that reaps
 * this one.
 */
export async function beginCompletion(db: Db, nodeId: string, attempt: string): Promise<void> {
  await sql`
    INSERT INTO completing_nodes (node_id, attempt) VALUES (${nodeId}, ${attempt})
    ON CONFLICT (node_id) DO UPDATE SET attempt = excluded.attempt`.execute(db);
}

/**
 * Marks the node as complete and notifies the waiters.
 *
 * @param attempt of {@link beginCompletion}
 * @throws {Error} if the attempt is gone from the database: the sessions recorded during it may be lost
 */
export async function setComplete(db: Db, nodeId: string, attempt: string): Promise<void> {
  const { rows } = await sql`
    WITH complete AS (
      INSERT INTO complete_nodes (node_id)
      SELECT n.id FROM broker_nodes n JOIN completing_nodes c ON c.node_id = n.id
       WHERE n.id = ${nodeId} AND n.reaped_at IS NULL AND c.attempt = ${attempt}
      ON CONFLICT (node_id) DO UPDATE SET node_id = excluded.node_id RETURNING node_id
    ), ended AS (DELETE FROM completing_nodes c USING complete WHERE c.node_id = complete.node_id)
    SELECT pg_notify('muster_drop_acks', '') FROM complete`.execute(db);
  if (rows.length === 0) throw new Error("another node has reaped this broker node, or the database has crashed again");
}

/**
 * Skips session numbers if no node is complete: the crash lost numbers that were already drawn and that sessions in
 * memory have. Later sessions must have higher ones.
 */
export async function skipLostNumbers(db: Db): Promise<void> {
  await sql`
    SELECT count(nextval('mqtt_session_seq')) FROM generate_series(1, ${LOST_AT_MOST}::int)
     WHERE NOT EXISTS (SELECT FROM complete_nodes)`.execute(db);
}
