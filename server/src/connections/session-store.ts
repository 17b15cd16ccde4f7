import { type RawBuilder, sql } from "kysely";
import { lockForSessions } from "../certificates/certificates.ts";
import { plainArray, textArray } from "../db/array-literal.ts";
import type { Db } from "../db/database.ts";
import { type Parameters, runStatement, statement } from "../db/statement.ts";
import { isIncomplete, mustBeComplete } from "./nodes/complete-store.ts";
import { isLive } from "./nodes/node-store.ts";

/** The record of a session. Exactly one of `deviceUid` and `mqttClientId` is set. */
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
  session_id: string;
  seq: string;
  previous_session_id: string | null;
  previous_node_id: string | null;
  has_commands: boolean;
  has_stored: boolean;
  has_will: boolean;
  /** Whether another node may have a session of the client that is not recorded. */
  has_unknown: boolean;
}

/** A session of a node. */
export type NodeSessionRow = SessionRow & { nodeId: string };

/** The columns of sessions, each as an array literal. */
export type SessionColumns = Record<keyof NodeSessionRow, string>;

/** SQL: the sessions as a FROM item `n`, with a column `seq` for their numbers if given. */
export const unnestSessions = (p: Parameters<SessionColumns>, seq?: RawBuilder<string>): RawBuilder<unknown> => sql`
  unnest(${p.clientId}::text::text[], ${p.sessionId}::text::uuid[], ${p.nodeId}::text::uuid[],
         ${p.tenantId}::text::uuid[], ${p.deviceUid}::text::uuid[], ${p.certificateId}::text::uuid[],
         ${p.mqttClientId}::text::uuid[], ${p.remoteAddress}::text::text[], ${p.connectedAt}::text::timestamptz[]
         ${seq ? sql`, ${seq}::text::bigint[]` : sql``})
    AS n(client_id, session_id, node_id, tenant_id, device_uid, certificate_id, mqtt_client_id, remote_address, connected_at
         ${seq ? sql`, seq` : sql``})`;

/**
 * SQL: the CTEs `certified` and `enabled`, the valid certificates and MQTT clients of `asked`, locked until the
 * sessions are recorded (`lockForSessions`).
 */
export const lockValid = sql`
  certified AS MATERIALIZED (${lockForSessions(sql`asked`)}),
  enabled AS MATERIALIZED (
    SELECT m.id FROM asked n JOIN mqtt_clients m ON m.id = n.mqtt_client_id
     WHERE m.disabled_at IS NULL AND NOT m.suspended ORDER BY m.id FOR KEY SHARE OF m)`;

/** SQL: the certificate or MQTT client of a row `n` of `asked` is among the locked ones. */
export const isValid = sql`(n.certificate_id IS NULL OR n.certificate_id IN (SELECT id FROM certified))
  AND (n.mqtt_client_id IS NULL OR n.mqtt_client_id IN (SELECT id FROM enabled))`;

/** SQL: a session replaces its client id's current one, `s`, which becomes its predecessor. */
export const replaceSession = sql`
  previous_session_id = s.session_id, previous_node_id = s.node_id, session_id = excluded.session_id,
  node_id = excluded.node_id, tenant_id = excluded.tenant_id, device_uid = excluded.device_uid,
  certificate_id = excluded.certificate_id, mqtt_client_id = excluded.mqtt_client_id,
  remote_address = excluded.remote_address, connected_at = excluded.connected_at`;

/** SQL: inserts drops for the sessions on other nodes that the sessions `o` have replaced. */
export const dropReplaced = (opened: RawBuilder<unknown>, at: RawBuilder<unknown>): RawBuilder<unknown> => sql`
  INSERT INTO session_drops (at, client_id, session_id, reason, node_id)
  SELECT ${at}, o.client_id, o.previous_session_id, 'takeover', n.id
    FROM ${opened} o JOIN broker_nodes n ON n.id = o.previous_node_id
   WHERE o.previous_node_id <> o.node_id
  RETURNING seq, client_id, node_id`;

/**
 * Locks rows in the order of client ids, like every statement that locks several, so that concurrent statements never
 * deadlock. The pending items of a client are looked up per row, by index.
 */
const openSessions = statement<SessionColumns, OpenedRow>(
  "open-sessions",
  (p) => sql`
  WITH asked AS (SELECT * FROM ${unnestSessions(p)} WHERE ${mustBeComplete(sql`n.node_id`)}), ${lockValid},
  opened AS (
    INSERT INTO mqtt_sessions AS s (client_id, session_id, seq, node_id, tenant_id, device_uid, certificate_id,
                                    mqtt_client_id, remote_address, connected_at)
    SELECT n.client_id, n.session_id, nextval('mqtt_session_seq'), n.node_id, n.tenant_id, n.device_uid,
           n.certificate_id, n.mqtt_client_id, n.remote_address, n.connected_at
      FROM asked n WHERE ${isValid}
     ORDER BY n.client_id
    ON CONFLICT (client_id) DO UPDATE SET seq = nextval('mqtt_session_seq'), ${replaceSession}
    RETURNING client_id, session_id, node_id, seq, previous_session_id, previous_node_id, device_uid, mqtt_client_id, connected_at
  ), dropped AS (${dropReplaced(sql`opened`, sql`o.connected_at`)})
  SELECT o.session_id, o.seq, o.previous_session_id, o.previous_node_id,
         (SELECT 1 FROM shared_device_commands c WHERE c.device_uid = o.device_uid LIMIT 1) IS NOT NULL AS has_commands,
         (SELECT 1 FROM stored_sessions t WHERE t.owner_id = coalesce(o.device_uid, o.mqtt_client_id) LIMIT 1)
           IS NOT NULL AS has_stored,
         (SELECT 1 FROM wills w WHERE w.owner_id = coalesce(o.device_uid, o.mqtt_client_id) AND w.delay_seconds = 0 LIMIT 1)
           IS NOT NULL AS has_will,
         EXISTS (SELECT FROM broker_nodes n WHERE ${isLive} AND ${isIncomplete}) AS has_unknown,
         (SELECT pg_notify('muster_drops', d.node_id::text) WHERE d.seq IS NOT NULL) AS notified
    FROM opened o LEFT JOIN dropped d ON d.client_id = o.client_id`,
);

/**
 * Makes each session the current one of its client id; no two of them share one. The predecessor is read from the row
 * under its lock, so among any number of simultaneous connects every session but the last is named as predecessor
 * exactly once. If the predecessor belongs to another node, the same statement enqueues its drop for that node alone.
 * It does so even if that node has no heartbeat, because after an interruption of the database the node may store one
 * late. A session whose certificate or client was revoked or disabled since its authorization is not opened. The
 * revoking transaction waits for this statement, or this statement for it (`enqueueDrops`). Fires
 * `mqtt_sessions_origin`.
 *
 * @returns a row for each session, in order; `undefined` if its certificate or MQTT client is no longer valid
 */
export async function upsertSessions(db: Db, sessions: readonly NodeSessionRow[]): Promise<(OpenedRow | undefined)[]> {
  const rows = await runStatement(db, openSessions, columnsOf(sessions));
  const bySession = new Map(rows.map((row) => [row.session_id, row]));
  return sessions.map(({ sessionId }) => bySession.get(sessionId));
}

export function columnsOf(sessions: readonly NodeSessionRow[]): SessionColumns {
  return {
    clientId: textArray(sessions.map((s) => s.clientId)),
    sessionId: plainArray(sessions.map((s) => s.sessionId)),
    nodeId: plainArray(sessions.map((s) => s.nodeId)),
    tenantId: plainArray(sessions.map((s) => s.tenantId)),
    deviceUid: plainArray(sessions.map((s) => s.deviceUid ?? undefined)),
    certificateId: plainArray(sessions.map((s) => s.certificateId ?? undefined)),
    mqttClientId: plainArray(sessions.map((s) => s.mqttClientId ?? undefined)),
    remoteAddress: textArray(sessions.map((s) => s.remoteAddress)),
    connectedAt: plainArray(sessions.map((s) => s.connectedAt.toISOString())),
  };
}

const closeSessions = statement<{ clientIds: string; sessionIds: string }, object>(
  "close-sessions",
  (p) => sql`
  WITH closed AS (
    SELECT * FROM unnest(${p.clientIds}::text::text[], ${p.sessionIds}::text::uuid[]) AS c(client_id, session_id)
     ORDER BY client_id
  ), locked AS (
    SELECT s.client_id, s.session_id
      FROM closed c, LATERAL (SELECT s.client_id, s.session_id FROM mqtt_sessions s
                               WHERE s.client_id = c.client_id AND s.session_id = c.session_id FOR UPDATE) s
  )
  DELETE FROM mqtt_sessions s USING locked WHERE s.client_id = locked.client_id AND s.session_id = locked.session_id`,
);

/** Removes sessions. The row of a client id that a later session has taken over stays. */
export async function deleteSessions(db: Db, sessions: { clientId: string; sessionId: string }[]): Promise<void> {
  await runStatement(db, closeSessions, {
    clientIds: textArray(sessions.map((s) => s.clientId)),
    sessionIds: plainArray(sessions.map((s) => s.sessionId)),
  });
}
