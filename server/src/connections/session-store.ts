import { type Db, runPrepared, runRaw } from "../db/database.ts";

/** A session as the database knows it. Exactly one of `deviceUid` and `mqttClientId` is set. */
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
}

/**
 * Makes this session the one of its client id. Whom it replaces is read from the row under its lock, so of any number
 * of simultaneous connects each but the last is named as predecessor exactly once. A predecessor in another process is
 * told by a drop, in the same statement.
 */
export async function upsertSession(db: Db, nodeId: string, session: SessionRow): Promise<OpenedRow> {
  const rows = await runPrepared<OpenedRow>(
    db,
    "open-session",
    `WITH opened AS (
       INSERT INTO mqtt_sessions AS s (client_id, session_id, seq, node_id, tenant_id, device_uid, certificate_id,
                                       mqtt_client_id, remote_address, connected_at)
       VALUES ($1, $2, nextval('mqtt_session_seq'), $3, $4, $5, $6, $7, $8, $9)
       ON CONFLICT (client_id) DO UPDATE SET
         previous_session_id = s.session_id, previous_node_id = s.node_id, session_id = excluded.session_id,
         seq = nextval('mqtt_session_seq'), node_id = excluded.node_id, tenant_id = excluded.tenant_id,
         device_uid = excluded.device_uid, certificate_id = excluded.certificate_id,
         mqtt_client_id = excluded.mqtt_client_id, remote_address = excluded.remote_address,
         connected_at = excluded.connected_at
       RETURNING seq, previous_session_id, previous_node_id
     ), told AS (
       INSERT INTO session_drops (at, client_id, session_id, reason)
       SELECT $9, $1, previous_session_id, 'takeover' FROM opened WHERE previous_node_id <> $3
       RETURNING seq
     )
     SELECT o.*, (SELECT pg_notify('muster_drops', seq::text) FROM told) AS notified FROM opened o`,
    [
      session.clientId,
      session.sessionId,
      nodeId,
      session.tenantId,
      session.deviceUid,
      session.certificateId,
      session.mqttClientId,
      session.remoteAddress,
      session.connectedAt,
    ],
  );
  return rows[0]!;
}

/** Removes sessions; one that has been taken over stays, since its row is its successor's. */
export async function deleteSessions(db: Db, sessions: { clientId: string; sessionId: string }[]): Promise<void> {
  await runPrepared(
    db,
    "close-sessions",
    `DELETE FROM mqtt_sessions s USING unnest($1::text[], $2::uuid[]) AS closed(client_id, session_id)
     WHERE s.client_id = closed.client_id AND s.session_id = closed.session_id`,
    [sessions.map((s) => s.clientId), sessions.map((s) => s.sessionId)],
  );
}

/** Puts the sessions of a node that was thought dead back, where nobody has taken over. @returns their numbers */
export async function reinsertSessions(db: Db, nodeId: string, sessions: SessionRow[]): Promise<Map<string, string>> {
  const rows = await runRaw<{ session_id: string; seq: string }>(
    db,
    `INSERT INTO mqtt_sessions (client_id, session_id, seq, node_id, tenant_id, device_uid, certificate_id,
                                mqtt_client_id, remote_address, connected_at)
     SELECT client_id, session_id, nextval('mqtt_session_seq'), $1, tenant_id, device_uid, certificate_id,
            mqtt_client_id, remote_address, connected_at
       FROM unnest($2::text[], $3::uuid[], $4::uuid[], $5::uuid[], $6::uuid[], $7::uuid[], $8::text[], $9::timestamptz[])
         AS s(client_id, session_id, tenant_id, device_uid, certificate_id, mqtt_client_id, remote_address, connected_at)
     ON CONFLICT (client_id) DO UPDATE SET seq = excluded.seq WHERE mqtt_sessions.session_id = excluded.session_id
     RETURNING session_id, seq`,
    [
      nodeId,
      sessions.map((s) => s.clientId),
      sessions.map((s) => s.sessionId),
      sessions.map((s) => s.tenantId),
      sessions.map((s) => s.deviceUid),
      sessions.map((s) => s.certificateId),
      sessions.map((s) => s.mqttClientId),
      sessions.map((s) => s.remoteAddress),
      sessions.map((s) => s.connectedAt),
    ],
  );
  return new Map(rows.map((row) => [row.session_id, row.seq]));
}

export interface PresenceRow {
  deviceUid: string;
  seq: string;
  online: boolean;
  at: Date;
  reason: string | null;
}

/** Writes who is online. Locks in one order, so that two processes never wait for each other; old news changes nothing. */
export async function writePresence(db: Db, rows: PresenceRow[]): Promise<void> {
  await runPrepared(
    db,
    "presence",
    `WITH news AS (
       SELECT * FROM unnest($1::uuid[], $2::bigint[], $3::boolean[], $4::timestamptz[], $5::text[])
         AS n(uid, seq, online, at, reason)
     ), locked AS (
       SELECT d.uid FROM devices d JOIN news USING (uid) ORDER BY d.uid FOR NO KEY UPDATE OF d
     )
     UPDATE devices d
        SET connectivity = CASE WHEN news.online THEN 'online' ELSE 'offline' END, connectivity_since = news.at,
            connectivity_reason = news.reason, connectivity_seq = news.seq,
            last_seen_at = greatest(d.last_seen_at, news.at)
       FROM news JOIN locked USING (uid)
      WHERE d.uid = news.uid
        AND (d.connectivity_seq < news.seq OR (d.connectivity_seq = news.seq AND NOT news.online))`,
    [
      rows.map((row) => row.deviceUid),
      rows.map((row) => row.seq),
      rows.map((row) => row.online),
      rows.map((row) => row.at),
      rows.map((row) => row.reason),
    ],
  );
}

/** Notes when certificates last opened a session. */
export async function writeLastConnected(db: Db, notes: ReadonlyMap<string, Date>): Promise<void> {
  await runPrepared(
    db,
    "last-connected",
    `WITH news AS (SELECT * FROM unnest($1::uuid[], $2::timestamptz[]) AS n(id, at)),
     locked AS (SELECT c.id FROM certificates c JOIN news USING (id) ORDER BY c.id FOR NO KEY UPDATE OF c)
     UPDATE certificates c SET last_connected_at = greatest(c.last_connected_at, news.at)
       FROM news JOIN locked USING (id) WHERE c.id = news.id`,
    [[...notes.keys()], [...notes.values()]],
  );
}
