import type { Invariant } from "./invariants.ts";

/** How late something may be before it is worth a look: far longer than a busy service takes. */
const LATE = "interval '5 minutes'";

/**
 * What is broken or lost where it happens: whoever is to be told is not. Asked of a running service, so no part of the invariants of
 * the books. All by partial indexes.
 */
export const ALARMS: readonly Invariant[] = [
  {
    name: "what happened is looked at by the notifications, and escalation takes its steps, within five minutes",
    sql: `SELECT 'event ' || i.seq || ' (' || i.changed_table || ')' AS what FROM notification_inbox i
      WHERE i.at < $1::timestamptz - ${LATE}
      UNION ALL SELECT 'anomaly ' || p.anomaly_id || ' for group ' || p.group_id FROM pages p
      WHERE p.state = 'due' AND p.due_at < $1::timestamptz - ${LATE}`,
  },
];

/** What somebody should see to although nothing in the service is broken: `muster doctor` names it and is content. */
export const CONCERNS: readonly Invariant[] = [
  {
    name: "messages leave within five minutes of being due",
    sql: `SELECT 'message ' || d.id || ' by ' || d.channel || ', due ' || d.next_at AS what FROM deliveries d
      WHERE d.state = 'pending' AND d.next_at < $1::timestamptz - ${LATE}`,
  },
  {
    name: "no message was given up within a day",
    sql: `SELECT 'message ' || d.id || ' by ' || d.channel || ': ' || coalesce(left(d.last_error, 100), '') AS what
       FROM deliveries d WHERE d.created_at > $1::timestamptz - interval '3 days' AND d.state = 'failed'
        AND d.done_at > $1::timestamptz - interval '1 day'`,
  },
  {
    name: "no group's webhook is disabled because it answered 410",
    // The path of an address may be a secret.
    sql: `SELECT 'group ' || g.id || ', webhook at ' || substring(w.target FROM '^https://([^/?]+)') AS what
       FROM disabled_webhooks w JOIN groups g ON g.tenant_id = w.tenant_id
        AND g.channels @> jsonb_build_array(jsonb_build_object('type', 'webhook', 'target', w.target))`,
  },
  {
    name: "telemetry that is kept no longer is dropped within a day",
    // A day is dropped when it has been over for its class and a day more (telemetry/partitions/partition-store.ts).
    sql: `SELECT 'partition ' || d.relname AS what FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
       JOIN pg_inherits j ON j.inhparent = c.oid JOIN pg_class d ON d.oid = j.inhrelid
      WHERE i.inhparent = 'telemetry'::regclass
        AND to_date(right(d.relname, 8), 'YYYYMMDD') + right(c.relname, -10)::integer + 3
            <= ($1::timestamptz AT TIME ZONE 'UTC')::date`,
  },
  {
    name: "minutes and hours of telemetry are computed within an hour of being due",
    sql: `SELECT 'device ' || m.device_uid || ' hour ' || m.hour AS what FROM roll_up_marks m
      WHERE m.due_at < $1::timestamptz - interval '1 hour'`,
  },
];
