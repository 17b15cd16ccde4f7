import { sql } from "kysely";
import type { Db } from "../db/database.ts";
import { runStatement, statement } from "../db/statement.ts";
import { isLive } from "./nodes/node-store.ts";

/** A stored session. Exactly one of `deviceUid` and `mqttClientId` is set. */
export interface SessionRow {
  sessionId: string;
  clientId: string;
  tenantId: string;
  deviceUid: string | null;
  certificateId: string | null;
  mqttClientId: string | null;
  remoteAddress: string;
  connectedAt: Date;
}

export interface OpenedRow {
  seq: string;
  previous_session_id: string | null;
  previous_node_id: string | null;
  has_commands: boolean;
  has_stored: boolean;
  drop_seq: string | null;
}

const openSession = statement<SessionRow & { nodeId: string }, OpenedRow>(
  "open-session",
  (p) => sql`
  WITH opened AS (
    INSERT INTO mqtt_sessions AS s (client_id, session_id, seq, node_id, tenant_id, device_uid, certificate_id,
                                    mqtt_client_id, remote_address, connected_at)
    VALUES (${p.clientId}, ${p.sessionId}, nextval('mqtt_session_seq'), ${p.nodeId}, ${p.tenantId}, ${p.deviceUid},
            ${p.certificateId}, ${p.mqttClientId}, ${p.remoteAddress}, ${p.connectedAt})
    ON CONFLICT (client_id) DO UPDATE SET
      previous_session_id = s.session_id, previous_node_id = s.node_id, session_id = excluded.session_id,
      seq = nextval('mqtt_session_seq'), node_id = excluded.node_id, tenant_id = excluded.tenant_id,
      device_uid = excluded.device_uid, certificate_id = excluded.certificate_id,
      mqtt_client_id = excluded.mqtt_client_id, remote_address = excluded.remote_address,
      connected_at = excluded.connected_at
    RETURNING seq, previous_session_id, previous_node_id
  ), dropped AS (
    INSERT INTO session_drops (at, client_id, session_id, reason, node_id)
    SELECT ${p.connectedAt}, ${p.clientId}, previous_session_id, 'takeover', n.id
      FROM opened JOIN broker_nodes n ON n.id = opened.previous_node_id
     WHERE previous_node_id <> ${p.nodeId} AND ${isLive}
    RETURNING seq
  )
  SELECT o.*, EXISTS (SELECT FROM shared_device_commands c WHERE c.device_uid = ${p.deviceUid}::uuid) AS has_commands,
         EXISTS (SELECT FROM stored_sessions t
                  WHERE t.owner_id = coalesce(${p.deviceUid}::uuid, ${p.mqttClientId}::uuid)) AS has_stored,
         (SELECT seq FROM dropped) AS drop_seq,
         (SELECT pg_notify('muster_drops', seq::text) FROM dropped) AS notified FROM opened o`,
);

/**
 * Makes this session the current one of its client id. The predecessor is read from the row under its lock, so of any number of
 * simultaneous connects every session but the last is named as predecessor exactly once. When the predecessor belongs to another
 * node that has a heartbeat, the same statement enqueues its drop, for that node alone. One without a heartbeat that runs all the same closes
 * the session when it notices that it was reaped.
 */
export async function upsertSession(db: Db, nodeId: string, session: SessionRow): Promise<OpenedRow> {
  const rows = await runStatement(db, openSession, { ...session, nodeId });
  return rows[0]!;
}

const closeSessions = statement<{ clientIds: string[]; sessionIds: string[] }, object>(
  "close-sessions",
  (p) => sql`
  DELETE FROM mqtt_sessions s
   USING unnest(${p.clientIds}::text[], ${p.sessionIds}::uuid[]) AS closed(client_id, session_id)
   WHERE s.client_id = closed.client_id AND s.session_id = closed.session_id`,
);

/** Removes sessions. The row of a client id that a later session has taken over stays. */
export async function deleteSessions(db: Db, sessions: { clientId: string; sessionId: string }[]): Promise<void> {
  await runStatement(db, closeSessions, {
    clientIds: sessions.map((s) => s.clientId),
    sessionIds: sessions.map((s) => s.sessionId),
  });
}

/**
 * Restores the sessions of a node that had been reaped though it was running, except those taken over since.
 *
 * @returns session id → number
 */
export async function reinsertSessions(db: Db, nodeId: string, sessions: SessionRow[]): Promise<Map<string, string>> {
  const { rows } = await sql<{ session_id: string; seq: string }>`
    INSERT INTO mqtt_sessions (client_id, session_id, seq, node_id, tenant_id, device_uid, certificate_id,
                               mqtt_client_id, remote_address, connected_at)
    SELECT client_id, session_id, nextval('mqtt_session_seq'), ${nodeId}, tenant_id, device_uid, certificate_id,
           mqtt_client_id, remote_address, connected_at
      FROM unnest(${sessions.map((s) => s.clientId)}::text[], ${sessions.map((s) => s.sessionId)}::uuid[],
                  ${sessions.map((s) => s.tenantId)}::uuid[], ${sessions.map((s) => s.deviceUid)}::uuid[],
                  ${sessions.map((s) => s.certificateId)}::uuid[], ${sessions.map((s) => s.mqttClientId)}::uuid[],
                  ${sessions.map((s) => s.remoteAddress)}::text[], ${sessions.map((s) => s.connectedAt)}::timestamptz[])
        AS s(client_id, session_id, tenant_id, device_uid, certificate_id, mqtt_client_id, remote_address, connected_at)
    ON CONFLICT (client_id) DO UPDATE SET seq = excluded.seq WHERE mqtt_sessions.session_id = excluded.session_id
    RETURNING session_id, seq`.execute(db);
  return new Map(rows.map((row) => [row.session_id, row.seq]));
}
