import { type SqlBool, sql } from "kysely";
import { type Check, shownTime } from "./check-store.ts";
import { PEOPLE_WARNINGS } from "./people-checks-store.ts";

/** A node without a heartbeat for longer is gone, and its sessions with it. */
export const HEARTBEAT_LIMIT = sql`interval '1 minute'`;

/** Work later than this needs attention: a busy service is never this late. */
const LATE = sql`interval '5 minutes'`;

const STREAM_IS_USED = sql<SqlBool>`EXISTS (SELECT FROM stream_processes p
  WHERE p.way = 'stream' AND p.seen_at > clock_timestamp() - ${HEARTBEAT_LIMIT})`;

/** The requirements of a running service, checked with a few index look-ups. */
export const AVAILABILITY: readonly Check[] = [
  {
    name: "every kind of certificate authority has an active generation",
    violations: (now) => sql`SELECT required || ' has none' AS what
      FROM unnest(ARRAY['device_root', 'device_intermediate', 'server_root', 'broker_server', 'https_server']) required
      WHERE NOT EXISTS (SELECT 1 FROM authorities a
        WHERE a.role = required AND a.status = 'active' AND a.not_before <= ${now} AND a.not_after > ${now})`,
  },
  {
    name: "a broker node has sent a heartbeat within the last minute",
    violations: (now) => sql`SELECT 'no node has' AS what
      WHERE NOT EXISTS (SELECT 1 FROM broker_nodes n WHERE n.beat_at > ${now} - ${HEARTBEAT_LIMIT})`,
  },
  {
    name: "not all broker nodes are drained",
    violations: (
      now,
    ) => sql`SELECT 'no node accepts MQTT connections: start a service, or restart a drained one' AS what
      FROM broker_nodes n WHERE n.part <> 'jobs' AND n.beat_at > ${now} - ${HEARTBEAT_LIMIT}
     HAVING count(*) > 0 AND count(*) = count(n.draining_at)`,
  },
];

/** Deadlines of a running service, checked with partial indexes. */
export const TIMELINESS: readonly Check[] = [
  {
    name: "notifications process events and escalation steps within 5 minutes",
    violations: (
      now,
    ) => sql`SELECT 'event ' || i.seq || ' (' || i.changed_table || ')' AS what FROM notification_inbox i
      WHERE i.at < ${now} - ${LATE}
      UNION ALL SELECT 'anomaly ' || p.anomaly_id || ' for group ' || p.group_id FROM pages p
      WHERE p.state = 'due' AND p.due_at < ${now} - ${LATE}`,
  },
  {
    name: "every partition of the ingest stream is stored within a minute",
    kind: "postgres",
    condition: STREAM_IS_USED,
    violations:
      () => sql`SELECT 'partition ' || s.partition || coalesce(', whose owner was last seen ' || ${shownTime(sql`s.renewed_at`)}, ', which has no owner') AS what
      FROM stream_partitions s
      WHERE ${STREAM_IS_USED} AND coalesce(s.caught_up_at, '-infinity') < clock_timestamp() - ${HEARTBEAT_LIMIT}`,
  },
];

/**
 * The time at which a process that stores the stream's messages was last seen; null if there was none within the hour
 * for which deletions wait (telemetry/deletion/).
 */
const STREAM_LAST_STORED = sql`(SELECT max(p.seen_at) FROM stream_processes p WHERE p.seen_at > clock_timestamp() - interval '1 hour')`;

/** Conditions that need the operator's attention although no rule of the service is broken. */
export const WARNINGS: readonly Check[] = [
  {
    name: "no deletion of telemetry waits for an ingest stream that no process stores",
    kind: "postgres",
    condition: sql<SqlBool>`EXISTS (SELECT FROM stream_partitions s WHERE s.stream_id IS NOT NULL)`,
    violations:
      () => sql`SELECT 'device ' || coalesce(d.id, t.device_uid::text) || ': no process with MUSTER_NATS_URL since '
        || ${shownTime(STREAM_LAST_STORED)} || '; start one, or its deletion ends an hour later' AS what
       FROM telemetry_deletions t LEFT JOIN devices d ON d.uid = t.device_uid
      WHERE t.passes_left = 1 AND ${STREAM_LAST_STORED} < clock_timestamp() - ${HEARTBEAT_LIMIT}
        AND EXISTS (SELECT FROM stream_partitions s WHERE s.stream_id IS NOT NULL)`,
  },
  {
    name: "connections to PostgreSQL have the settings of the service",
    kind: "postgres",
    // Checks run with sequential scans and without a time limit.
    violations:
      () => sql`SELECT 'jit is on: a pooler in transaction mode is in between; MUSTER_DATABASE_DIRECT_URL or its connect_query is missing' AS what
      WHERE current_setting('jit') <> 'off'`,
  },
  {
    name: "no broker node is drained",
    violations: (
      now,
    ) => sql`SELECT 'node ' || n.id || ' of ' || n.host || ', drained at ' || ${shownTime(sql`n.draining_at`)}
        || ': stop its service, or restart it' AS what
       FROM broker_nodes n WHERE n.draining_at IS NOT NULL AND n.beat_at > ${now} - ${HEARTBEAT_LIMIT}`,
  },
  {
    name: "messages are sent within 5 minutes of being due",
    violations: (
      now,
    ) => sql`SELECT 'message ' || d.id || ' by ' || d.channel || ', due ' || ${shownTime(sql`d.next_at`)} AS what FROM deliveries d
      WHERE d.state = 'pending' AND d.next_at < ${now} - ${LATE}`,
  },
  {
    name: "no message failed permanently in the last day",
    violations: (
      now,
    ) => sql`SELECT 'message ' || d.id || ' by ' || d.channel || ': ' || coalesce(left(d.last_error, 100), '') AS what
       FROM deliveries d WHERE d.created_at > ${now} - interval '3 days' AND d.state = 'failed'
        AND d.done_at > ${now} - interval '1 day'`,
  },
  {
    name: "no group has a webhook that is disabled because it answered 410",
    // Shows only the host: the path of an address may be a secret.
    violations:
      () => sql`SELECT 'group ' || g.id || ', webhook at ' || substring(w.target FROM '^https://([^/?]+)') AS what
       FROM disabled_webhooks w JOIN groups g ON g.tenant_id = w.tenant_id
        AND g.channels @> jsonb_build_array(jsonb_build_object('type', 'webhook', 'target', w.target))`,
  },
  {
    name: "every channel of a group is confirmed by its receiver",
    violations:
      () => sql`SELECT 'group ' || c.group_id || ', ' || CASE c.type WHEN 'email' THEN 'e-mail to ' || c.target
        ELSE 'webhook at ' || substring(c.target FROM '^https://([^/?]+)') END AS what
       FROM shared_group_channels c WHERE NOT c.confirmed`,
  },
  ...PEOPLE_WARNINGS,
  {
    name: "telemetry past its retention is dropped within a day",
    // A partition is dropped once its day has been past its retention for a day
    // (telemetry/partitions/partition-store.ts).
    violations: (
      now,
    ) => sql`SELECT 'partition ' || d.relname AS what FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
       JOIN pg_inherits j ON j.inhparent = c.oid JOIN pg_class d ON d.oid = j.inhrelid
      WHERE i.inhparent IN ('telemetry_chunks'::regclass, 'telemetry_messages'::regclass)
        AND to_date(right(d.relname, 8), 'YYYYMMDD') + substring(c.relname FROM '[0-9]+$')::integer + 3
            <= (${now} AT TIME ZONE 'UTC')::date`,
  },
  {
    name: "minute and hour roll-ups are computed within an hour of being due",
    violations: (
      now,
    ) => sql`SELECT 'device ' || coalesce(d.id, m.device_uid::text) || ', hour from ' || ${shownTime(sql`m.hour`)} AS what
       FROM roll_up_marks m LEFT JOIN devices d ON d.uid = m.device_uid
      WHERE m.chunk_at < ${now} - interval '1 hour' OR m.failed_at < ${now} - interval '1 hour'`,
  },
];
