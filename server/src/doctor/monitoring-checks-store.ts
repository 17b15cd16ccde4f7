import { sql } from "kysely";
import type { Check } from "./check-store.ts";

/** Invariants of rejected messages, rules, anomalies, tickets and webhooks. */
export const MONITORING_INVARIANTS: readonly Check[] = [
  {
    name: "the topic of a rejected message is a publish topic of a certificate of its device",
    violations: () => sql`SELECT 'message ' || r.id AS what FROM rejected_messages r
      WHERE NOT EXISTS (SELECT 1 FROM certificates c
        WHERE c.device_uid = r.device_uid AND r.topic = ANY (c.publish_topics))`,
  },
  {
    name: "a deleted device has no unresolved anomaly and no threshold pack",
    violations: () => sql`SELECT 'anomaly ' || a.id AS what FROM anomalies a JOIN devices d ON d.uid = a.device_uid
      WHERE a.resolved_at IS NULL AND d.deleted_at IS NOT NULL
      UNION ALL SELECT 'device ' || d.uid FROM device_thresholds t JOIN devices d ON d.uid = t.device_uid
      WHERE d.deleted_at IS NOT NULL`,
  },
  {
    name: "a stored rule state belongs to a rule that is evaluated for its device",
    violations: () => sql`SELECT 'device ' || s.device_uid || ' rule ' || s.rule_id AS what FROM rule_states s
      WHERE NOT EXISTS (SELECT FROM shared_device_rules e
        WHERE e.device_uid = s.device_uid AND e.threshold_id = s.threshold_id AND e.rule_id = s.rule_id)`,
  },
  {
    name: "an unresolved anomaly belongs to a rule that is evaluated for its device",
    violations: () => sql`SELECT 'anomaly ' || a.id AS what FROM anomalies a
      WHERE a.resolved_at IS NULL AND a.rule_id IS NOT NULL AND NOT EXISTS (SELECT FROM shared_device_rules e
        WHERE e.device_uid = a.device_uid AND e.threshold_id = a.threshold_id AND e.rule_id = a.rule_id)`,
  },
  {
    name: "the silence of every device seen so far is checked if its type limits it",
    violations: () => sql`SELECT 'device ' || d.uid AS what FROM devices d
      JOIN device_types y ON y.tenant_id = d.tenant_id AND y.id = d.device_type_id AND y.silent_for_seconds IS NOT NULL
      LEFT JOIN shared_device_latest l ON l.device_uid = d.uid
      WHERE d.deleted_at IS NULL AND greatest(d.last_seen_at, l.seen_at) IS NOT NULL
        AND NOT EXISTS (SELECT FROM silence_checks c WHERE c.device_uid = d.uid)
        AND NOT EXISTS (SELECT FROM silence_rechecks r WHERE r.device_type_id = y.id AND r.after_uid < d.uid)`,
  },
  {
    name: "an anomaly has at most one unfinished ticket and links to it",
    violations:
      () => sql`SELECT 'anomaly ' || t.anomaly_id AS what FROM tickets t JOIN anomalies a ON a.id = t.anomaly_id
      WHERE t.status NOT IN ('completed', 'cancelled') AND a.ticket_id IS DISTINCT FROM t.id`,
  },
  {
    name: "the ticket that an anomaly links to is about this anomaly and its device",
    violations: () => sql`SELECT 'anomaly ' || a.id AS what FROM anomalies a JOIN tickets t ON t.id = a.ticket_id
      WHERE t.anomaly_id IS DISTINCT FROM a.id OR t.device_uid IS DISTINCT FROM a.device_uid`,
  },
  {
    name: "the history of every ticket begins with its opening",
    violations: () => sql`SELECT 'ticket ' || t.id AS what FROM tickets t
      WHERE NOT EXISTS (SELECT 1 FROM ticket_history h WHERE h.ticket_id = t.id AND h.at = t.created_at
        AND h.actor = t.created_by AND h.changes->'status'->>'to' = 'open')`,
  },
  {
    name: "the ticket numbers of a tenant run from 1 to its last number without a gap",
    violations: () => sql`SELECT 'tenant ' || t.id AS what FROM tenants t
      LEFT JOIN (SELECT tenant_id, count(*) AS n, min(number) AS least, max(number) AS most
        FROM tickets GROUP BY tenant_id) k ON k.tenant_id = t.id
      LEFT JOIN ticket_numbers c ON c.tenant_id = t.id
      WHERE coalesce(c.last, 0) <> coalesce(k.n, 0) OR k.least <> 1 OR k.most <> k.n`,
  },
  {
    name: "every webhook that a group names has its record, and no other has one",
    violations: () => sql`SELECT 'group ' || coalesce(w.group_id, c.group_id) AS what FROM webhooks w
      FULL JOIN (SELECT group_id, channel_address_key(type, target) AS key FROM shared_group_channels
        WHERE type = 'webhook') c ON c.group_id = w.group_id AND c.key = w.key
      WHERE w.key IS NULL OR c.key IS NULL`,
  },
];
