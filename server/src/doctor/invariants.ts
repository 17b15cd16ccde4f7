import { MISCOUNTED_BLOCKS } from "./list-store.ts";

/**
 * What must never be false, as questions to the whole database (reliability.md). Each names a rule and selects what
 * breaks it: one text column `what`, no row when all is well. `$1` is now; a question that has no use for it ignores it.
 */
export interface Invariant {
  name: string;
  sql: string;
}

/** How long the drop of a revoked certificate's session may be under way before it counts as missing (B1). */
const DROP_GRACE = "interval '10 seconds'";

/** A node that has not beaten for so long is dead, and what it held with it. */
const ALIVE = "interval '1 minute'";

export const INVARIANTS: readonly Invariant[] = [
  {
    name: "a claim's uses are within its limit and equal its enrollments in the audit",
    sql: `SELECT 'claim ' || c.id AS what FROM claims c LEFT JOIN (SELECT claim_id, count(*) AS enrolled
        FROM certificate_audit WHERE kind = 'device_cert_enrolled' GROUP BY claim_id) a ON a.claim_id = c.id
      WHERE c.used_count > c.max_uses OR c.used_count <> coalesce(a.enrolled, 0)`,
  },
  {
    name: "a device has at most two live bundles",
    sql: `SELECT 'device ' || min(c.device_id) || ' (' || c.device_uid || ')' AS what FROM certificates c
      WHERE c.kind = 'platform' AND c.revoked_at IS NULL AND c.not_after > $1
      GROUP BY c.device_uid HAVING count(*) > 2`,
  },
  {
    name: "every certificate has exactly one issuing audit entry",
    sql: `SELECT 'certificate ' || c.id AS what FROM certificates c
      WHERE (SELECT count(*) FROM certificate_audit a WHERE a.certificate_id = c.id AND a.tenant_id = c.tenant_id
        AND a.serial_number = c.serial_number AND a.kind IN ('device_cert_minted', 'device_cert_enrolled', 'device_cert_renewed')) <> 1`,
  },
  {
    name: "every issuing audit entry has its certificate",
    sql: `SELECT 'audit entry ' || a.id AS what FROM certificate_audit a
      WHERE NOT EXISTS (SELECT 1 FROM certificates c WHERE c.id = a.certificate_id
        AND c.fingerprint_sha256 = a.fingerprint_sha256)`,
  },
  {
    name: "every renewal has one revoked predecessor with one successor",
    sql: `SELECT 'renewal ' || a.id AS what FROM certificate_audit a
      WHERE a.kind = 'device_cert_renewed' AND (SELECT count(*) FROM certificates p
        WHERE p.superseded_by_id = a.certificate_id AND p.serial_number = a.previous_serial_number
          AND p.revoked_at IS NOT NULL) <> 1
      UNION ALL SELECT 'certificate ' || p.id FROM certificates p
      WHERE p.superseded_by_id IS NOT NULL AND NOT EXISTS (SELECT 1 FROM certificate_audit a
        WHERE a.certificate_id = p.superseded_by_id AND a.kind = 'device_cert_renewed'
          AND a.previous_serial_number = p.serial_number)`,
  },
  {
    name: "serial numbers are unique",
    sql: "SELECT 'serial ' || serial_number AS what FROM certificates GROUP BY serial_number HAVING count(*) > 1",
  },
  {
    name: "live certificates of a device id lie in one tenant",
    sql: `SELECT 'device id ' || c.device_id AS what FROM certificates c
      WHERE c.revoked_at IS NULL AND c.not_after > $1 GROUP BY c.device_id HAVING count(DISTINCT c.tenant_id) > 1`,
  },
  {
    name: "a live certificate holds its client id on the broker",
    sql: `SELECT 'certificate ' || c.id AS what FROM certificates c
      WHERE c.revoked_at IS NULL AND c.not_after > $1 AND NOT EXISTS (SELECT 1 FROM client_ids i
        WHERE i.client_id = c.device_id AND i.tenant_id = c.tenant_id AND i.live_until >= c.not_after)`,
  },
  {
    name: "no session is open on a revoked certificate (one just superseded may finish)",
    sql: `SELECT 'session of ' || s.client_id AS what FROM mqtt_sessions s
      JOIN certificates c ON c.id = s.certificate_id
      JOIN broker_nodes n ON n.id = s.node_id AND n.beat_at > $1::timestamptz - ${ALIVE}
      WHERE c.revocation_reason IN ('requested', 'device_deleted') AND c.revoked_at < $1::timestamptz - ${DROP_GRACE}`,
  },
  {
    name: "a client id has one session",
    sql: "SELECT 'client id ' || client_id AS what FROM mqtt_sessions GROUP BY client_id HAVING count(*) > 1",
  },
  {
    name: "a revoked certificate stays revoked",
    sql: `SELECT 'certificate ' || c.id AS what FROM certificates c
      WHERE c.revoked_at IS NULL AND EXISTS (SELECT 1 FROM certificate_audit a
        WHERE a.certificate_id = c.id AND a.kind = 'device_cert_revoked')`,
  },
  {
    name: "every revocation has its audit entry",
    sql: `SELECT 'certificate ' || c.id AS what FROM certificates c
      WHERE c.revocation_reason IN ('requested', 'device_deleted') AND NOT EXISTS (SELECT 1 FROM certificate_audit a
        WHERE a.certificate_id = c.id AND a.kind = 'device_cert_revoked')`,
  },
  {
    name: "a deleted device has no live certificate",
    sql: `SELECT 'certificate ' || c.id AS what FROM certificates c JOIN devices d ON d.uid = c.device_uid
      WHERE d.deleted_at IS NOT NULL AND c.revoked_at IS NULL`,
  },
  {
    name: "a kept message's topic is on the list of a certificate of its sender",
    sql: `SELECT 'message ' || r.id AS what FROM rejected_messages r
      WHERE NOT EXISTS (SELECT 1 FROM certificates c
        WHERE c.device_uid = r.device_uid AND r.topic = ANY (c.publish_topics))`,
  },
  {
    name: "the database itself keeps the audit growing and revocations final",
    sql: `SELECT 'trigger ' || wanted || ' is missing or disabled' AS what
      FROM unnest(ARRAY['certificate_audit_grows', 'certificates_stay_revoked', 'ticket_history_grows']) wanted
      WHERE NOT EXISTS (SELECT 1 FROM pg_trigger t WHERE t.tgname = wanted AND t.tgenabled IN ('O', 'A'))`,
  },
  {
    name: "the ticket numbers of a tenant run from 1 to the last given out, without a gap",
    sql: `SELECT 'tenant ' || t.id AS what FROM tenants t
      LEFT JOIN (SELECT tenant_id, count(*) AS n, min(number) AS least, max(number) AS most
        FROM tickets GROUP BY tenant_id) k ON k.tenant_id = t.id
      LEFT JOIN ticket_numbers c ON c.tenant_id = t.id
      WHERE coalesce(c.last, 0) <> coalesce(k.n, 0) OR k.least <> 1 OR k.most <> k.n`,
  },
  {
    name: "a deleted device has no unresolved anomaly and no threshold pack",
    sql: `SELECT 'anomaly ' || a.id AS what FROM anomalies a JOIN devices d ON d.uid = a.device_uid
      WHERE a.resolved_at IS NULL AND d.deleted_at IS NOT NULL
      UNION ALL SELECT 'device ' || d.uid FROM device_thresholds t JOIN devices d ON d.uid = t.device_uid
      WHERE d.deleted_at IS NOT NULL`,
  },
  {
    name: "a stored rule state is of a rule that evaluates its device",
    sql: `SELECT 'device ' || s.device_uid || ' rule ' || s.rule_id AS what FROM rule_states s
      WHERE NOT EXISTS (SELECT FROM shared_device_rules e
        WHERE e.device_uid = s.device_uid AND e.threshold_id = s.threshold_id AND e.rule_id = s.rule_id)`,
  },
  {
    name: "an unresolved anomaly is of a rule that evaluates its device",
    sql: `SELECT 'anomaly ' || a.id AS what FROM anomalies a
      WHERE a.resolved_at IS NULL AND a.rule_id IS NOT NULL AND NOT EXISTS (SELECT FROM shared_device_rules e
        WHERE e.device_uid = a.device_uid AND e.threshold_id = a.threshold_id AND e.rule_id = a.rule_id)`,
  },
  {
    name: "an anomaly has at most one unfinished ticket, and shows it",
    sql: `SELECT 'anomaly ' || t.anomaly_id AS what FROM tickets t JOIN anomalies a ON a.id = t.anomaly_id
      WHERE t.status NOT IN ('completed', 'cancelled') AND a.ticket_id IS DISTINCT FROM t.id`,
  },
  {
    name: "the ticket that an anomaly shows is about it and its device",
    sql: `SELECT 'anomaly ' || a.id AS what FROM anomalies a JOIN tickets t ON t.id = a.ticket_id
      WHERE t.anomaly_id IS DISTINCT FROM a.id OR t.device_uid IS DISTINCT FROM a.device_uid`,
  },
  {
    name: "every ticket's history begins with its opening",
    sql: `SELECT 'ticket ' || t.id AS what FROM tickets t
      WHERE NOT EXISTS (SELECT 1 FROM ticket_history h WHERE h.ticket_id = t.id AND h.at = t.created_at
        AND h.actor = t.created_by AND h.changes->'status'->>'to' = 'open')`,
  },
  {
    name: "no API key outlives its creator's access",
    sql: `SELECT 'API key ' || k.id AS what FROM api_keys k JOIN users u ON u.id = k.user_id
      WHERE k.revoked_at IS NULL AND (u.status <> 'active' OR u.deleted_at IS NOT NULL OR u.tenant_id <> k.tenant_id)`,
  },
  { name: "what counted lists say is what is there", sql: MISCOUNTED_BLOCKS },
];

/** The questions a healthy service answers at once, however much it holds. */
export const ESSENTIALS: readonly Invariant[] = [
  {
    name: "every kind of certificate authority has an active generation",
    sql: `SELECT wanted || ' has none' AS what
      FROM unnest(ARRAY['device_root', 'device_intermediate', 'server_root', 'broker_server', 'https_server']) wanted
      WHERE NOT EXISTS (SELECT 1 FROM authorities a
        WHERE a.role = wanted AND a.status = 'active' AND a.not_before <= $1 AND a.not_after > $1)`,
  },
  {
    name: "a broker node is alive",
    sql: `SELECT 'no node has beaten within a minute' AS what
      WHERE NOT EXISTS (SELECT 1 FROM broker_nodes n WHERE n.beat_at > $1::timestamptz - ${ALIVE})`,
  },
];
