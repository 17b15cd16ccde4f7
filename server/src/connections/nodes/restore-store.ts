import { type RawBuilder, sql } from "kysely";
import { plainArray } from "../../db/array-literal.ts";
import type { Db } from "../../db/database.ts";
import { runStatement, statement } from "../../db/statement.ts";
import { ROWS_OF_STATEMENT } from "../../lib/batching/batches-of.ts";
import {
  columnsOf,
  dropReplaced,
  isValid,
  lockValid,
  type NodeSessionRow,
  replaceSession,
  type SessionColumns,
  unnestSessions,
} from "../session-store.ts";

/** A session of this node with its number. */
export type NumberedSession = NodeSessionRow & { seq: string };

export interface RestoredRow {
  session_id: string;
  /** Null if another session has taken its place, or if it is not valid. */
  seq: string | null;
  is_valid: boolean;
}

const insertValid = (seq: RawBuilder<unknown>) => sql`
  INSERT INTO mqtt_sessions AS s (client_id, session_id, seq, node_id, tenant_id, device_uid, certificate_id,
                                  mqtt_client_id, remote_address, connected_at)
  SELECT client_id, session_id, ${seq}, node_id, tenant_id, device_uid, certificate_id, mqtt_client_id, remote_address,
         connected_at
    FROM valid ORDER BY client_id`;

const renumberSessions = statement<SessionColumns, RestoredRow>(
  "renumber-sessions",
  (p) => sql`
  WITH asked AS (SELECT * FROM ${unnestSessions(p)}), ${lockValid}, valid AS (SELECT n.* FROM asked n WHERE ${isValid}),
  restored AS (
    ${insertValid(sql`nextval('mqtt_session_seq')`)}
    ON CONFLICT (client_id) DO UPDATE SET seq = excluded.seq WHERE s.session_id = excluded.session_id
    RETURNING session_id, seq
  )
  SELECT a.session_id, r.seq, v.session_id IS NOT NULL AS is_valid
    FROM asked a LEFT JOIN valid v USING (session_id) LEFT JOIN restored r USING (session_id)`,
);

/**
 * Restores the sessions of a running node that was reaped. Sessions that were taken over since, whose certificate was
 * revoked or whose MQTT client was disabled are not restored. Sessions with a certificate that was replaced by a
 * renewal are included. Nothing else would end those whose certificate or device was revoked or deleted in the
 * meantime. Restored sessions get numbers later than the one with which their devices were set offline.
 */
export async function renumberRestored(db: Db, sessions: readonly NodeSessionRow[]): Promise<RestoredRow[]> {
  return await runStatement(db, renumberSessions, columnsOf(sessions));
}

/**
 * Restores missing sessions. A client's session with the highest number is the latest. PostgreSQL's planner expects one
 * missing session, and would join thousands with a nested loop; hashed subqueries avoid that.
 */
const restoreMissing = statement<SessionColumns & { seq: string; now: Date }, RestoredRow>(
  "restore-missing-sessions",
  (p) => sql`
  WITH asked AS (
    SELECT * FROM ${unnestSessions(p, p.seq)}
     WHERE n.session_id IS DISTINCT FROM (SELECT s.session_id FROM mqtt_sessions s WHERE s.client_id = n.client_id)
  ), ${lockValid}, valid AS (SELECT n.* FROM asked n WHERE ${isValid}),
  restored AS (
    ${insertValid(sql`seq`)}
    ON CONFLICT (client_id) DO UPDATE SET seq = excluded.seq, ${replaceSession} WHERE s.seq < excluded.seq
    RETURNING client_id, session_id, node_id, seq, previous_session_id, previous_node_id
  ), dropped AS (${dropReplaced(sql`restored`, sql`${p.now}::timestamptz`)}),
  notified AS (SELECT pg_notify('muster_drops', node_id::text) FROM (SELECT DISTINCT node_id FROM dropped) d)
  SELECT session_id, seq, true AS is_valid, (SELECT count(*) FROM notified) AS notified FROM restored
  UNION ALL
  SELECT session_id, NULL, session_id IN (SELECT session_id FROM valid), 0 FROM asked
   WHERE session_id NOT IN (SELECT session_id FROM restored)`,
);

/**
 * Re-records, with their old numbers, the sessions of a node that a crash of PostgreSQL has lost. A session that one of
 * them had replaced is replaced again, and its node gets the drop. A session is not restored if another node has
 * replaced it since, its certificate was revoked, or its MQTT client was disabled.
 *
 * @returns the sessions that were missing
 */
export async function restoreMissingSessions(
  db: Db,
  sessions: readonly NumberedSession[],
  now: Date,
): Promise<RestoredRow[]> {
  const seq = plainArray(sessions.map((session) => session.seq));
  return await runStatement(db, restoreMissing, { ...columnsOf(sessions), seq, now });
}

/** The recorded fields of a session. */
export interface RecordedSession {
  clientId: string;
  sessionId: string;
  deviceUid: string | null;
  seq: string;
}

/**
 * Returns the recorded sessions of a node in the order of client ids, starting after `after`, at most as many as one
 * statement may read.
 */
export async function recordedSessions(db: Db, nodeId: string, after: string): Promise<RecordedSession[]> {
  const { rows } = await sql<RecordedSession>`
    SELECT client_id AS "clientId", session_id AS "sessionId", device_uid AS "deviceUid", seq FROM mqtt_sessions
     WHERE node_id = ${nodeId} AND client_id > ${after} ORDER BY client_id LIMIT ${ROWS_OF_STATEMENT}`.execute(db);
  return rows;
}
