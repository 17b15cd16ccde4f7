/** Views that features other than the owner of a table read (tools/boundaries/owners.ts). */
export const views = `
-- The devices that a user who is not an admin sees: those in a group of the user.
CREATE VIEW device_viewers AS
  SELECT dg.device_uid, m.user_id
    FROM device_groups dg JOIN group_members m ON m.group_id = dg.group_id;

CREATE VIEW shared_anomalies AS
  SELECT id, tenant_id, device_uid, device_id, threshold_id, rule_id, metric, value, breached, severity, status, message,
         opened_at, acknowledged_at, resolved_at, resolved_by, certificate_id
    FROM anomalies;

CREATE VIEW shared_certificates AS
  SELECT id, tenant_id, device_uid, device_id, kind, serial_number, fingerprint_sha256, issued_at, not_after, renew_after, claim_id,
         revoked_at, revocation_reason, publish_topics, subscribe_topics, issued_by, revoked_by
    FROM certificates;

CREATE VIEW shared_claims AS
  SELECT id, tenant_id, status, expires_at, intended_device_type_id, intended_group_ids FROM claims;

CREATE VIEW shared_connection_refusals AS
  SELECT id, tenant_id, at, reason, device_id FROM connection_refusals;

CREATE VIEW shared_connectivity_events AS
  SELECT device_uid, at, changed_row->>'connectivity' AS connectivity, changed_row->>'connectivity_reason' AS reason
    FROM events WHERE changed_table = 'devices';

CREATE VIEW shared_delivery_minutes AS SELECT tenant_id, minute, others FROM delivery_minutes;

-- Read by the statement that opens a session.
CREATE VIEW shared_device_commands AS SELECT device_uid, expires_at FROM device_commands WHERE outcome IS NULL;

CREATE VIEW shared_device_findings AS
  SELECT tenant_id, device_uid, kind, certificate_id, at FROM device_findings;

CREATE VIEW shared_device_groups AS
  SELECT device_uid, group_id FROM device_groups;

CREATE VIEW shared_device_latest AS
  SELECT device_uid, version, seen_at FROM device_latest WHERE part = 0;

CREATE VIEW shared_device_thresholds AS
  SELECT device_uid, threshold_id FROM device_thresholds;

CREATE VIEW shared_device_type_thresholds AS
  SELECT device_type_id, threshold_id FROM device_type_thresholds;

CREATE VIEW shared_rejected_messages AS SELECT tenant_id, device_uid, at FROM rejected_messages;

CREATE VIEW shared_device_types AS
  SELECT id, tenant_id, name, publish_topics, subscribe_topics, silent_for_seconds, payload_format, metrics
    FROM device_types;

CREATE VIEW shared_device_origins AS SELECT device_uid, node_id, remote_address FROM device_origins;

CREATE VIEW shared_devices AS
  SELECT uid, tenant_id, id, name, device_type_id, fingerprint_key, connectivity, connectivity_since, last_seen_at, deleted_at,
         certificate_until, certificate_renew_after, device_place(metadata) AS place, agent_version, metadata
    FROM devices;

CREATE VIEW shared_group_channels AS
  SELECT g.tenant_id, g.id AS group_id, c.position, c.value->>'type' AS type, c.value->>'target' AS target,
         a.confirmed_at IS NOT NULL AS confirmed,
         EXISTS (SELECT FROM disabled_webhooks d WHERE d.tenant_id = g.tenant_id AND d.target_sha256 = a.key) AS disabled,
         a.failing_since IS NOT NULL AS failing
    FROM groups g CROSS JOIN LATERAL jsonb_array_elements(g.channels) WITH ORDINALITY AS c (value, position)
    LEFT JOIN channel_addresses a ON a.tenant_id = g.tenant_id AND a.type = c.value->>'type'
         AND a.key = channel_address_key(c.value->>'type', c.value->>'target');

CREATE VIEW shared_integrations AS SELECT id, tenant_id, name, type FROM integrations WHERE user_id IS NULL;

CREATE VIEW shared_group_members AS
  SELECT group_id, user_id FROM group_members;

CREATE VIEW shared_group_shifts AS
  SELECT group_id, shift_id FROM group_shifts;

CREATE VIEW shared_groups AS
  SELECT id, tenant_id, name, channels, escalation, pages_lost_renewals, always_pages, tells_hand_overs
    FROM groups;

-- One row per metric. "any_replaced" is the condition of an index; "row_writer" is the transaction that wrote the row.
CREATE VIEW shared_latest_values AS
  SELECT l.device_uid, u.metric, coalesce(u.ts, l.ts) AS ts, coalesce(u.received_at, u.ts, l.received_at) AS received_at,
         coalesce(u.replaced, false) AS time_replaced, u.kind,
         CASE WHEN u.kind = 'n' THEN u.number END AS number, CASE WHEN u.kind = 'b' THEN u.number = 1 END AS flag,
         CASE WHEN u.kind = 't' THEN u.text END AS text,
         coalesce(u.writer, l.written) AS written, l.xmin AS row_writer, l.replaced IS NOT NULL AS any_replaced, l.part, u.place
    FROM device_latest l
   CROSS JOIN LATERAL unnest(l.metrics, string_to_array(l.kinds, NULL), l.numbers, l.texts, l.times, l.received, l.replaced, l.writers)
         WITH ORDINALITY AS u (metric, kind, number, text, ts, received_at, replaced, writer, place);

CREATE VIEW shared_maintenance_windows AS SELECT id, tenant_id, ends_at FROM maintenance_windows;

CREATE VIEW shared_mqtt_clients AS
  SELECT id, tenant_id, disabled_at, client_id, username, owner_id, suspended FROM mqtt_clients;

CREATE VIEW shared_mqtt_sessions AS
  SELECT client_id, tenant_id, device_uid, certificate_id, connected_at, remote_address FROM mqtt_sessions;

-- One row per reading of messages that are not only in chunks, for inspection by hand. The service reads by
-- telemetry/messages/.
CREATE VIEW shared_readings AS
  SELECT DISTINCT ON (device_uid, metric, ts) device_uid, metric, ts, number, flag, text, received_at, time_replaced, retention_days
    FROM (
      SELECT s.device_uid, n.metric, m.ts, m.seq, CASE WHEN n.kind = 'n' THEN m.numbers[n.place] END AS number,
             CASE WHEN n.kind = 'b' THEN m.numbers[n.place] = 1 END AS flag,
             CASE WHEN n.kind = 't' THEN m.texts[n.place - coalesce(cardinality(m.numbers), 0)] END AS text,
             coalesce(m.received_at, m.ts) AS received_at, s.time_replaced, m.retention_days
        FROM telemetry_shapes s
       CROSS JOIN LATERAL unnest(s.metrics, string_to_array(s.kinds, NULL)) WITH ORDINALITY AS n (metric, kind, place)
        JOIN telemetry_messages m ON m.shape_no = s.shape_no
    ) r
   ORDER BY device_uid, metric, ts, seq DESC;

CREATE VIEW shared_service_accounts AS SELECT id, name FROM users WHERE kind = 'service';

CREATE VIEW shared_shift_users AS
  SELECT shift_id, user_id FROM shift_users;

CREATE VIEW shared_shifts AS
  SELECT id, tenant_id, name, time_zone, start_time, end_time, days_of_week, valid_from, valid_until,
         layer, rotation
    FROM shifts;

CREATE VIEW shared_tenant_domains AS SELECT domain, tenant_id FROM tenant_domains;

CREATE VIEW shared_tenants AS
  SELECT id, slug, name, telemetry_retention_days, admins_need_factor, last_resort, flaps_above, cause_wait_minutes FROM tenants;

CREATE VIEW shared_thresholds AS SELECT id, tenant_id, name, rule_ids FROM thresholds;

CREATE VIEW shared_tickets AS
  SELECT id, tenant_id, number, created_at, device_uid, device_id, title, created_by FROM tickets;

CREATE VIEW shared_user_factors AS
  SELECT user_id, id AS factor_id, 'app' AS kind FROM user_factors WHERE confirmed_at IS NOT NULL
  UNION ALL SELECT user_id, id, 'passkey' FROM passkeys;

CREATE VIEW shared_users AS
  SELECT id, tenant_id, email, role, status, deleted_at, platform, password_drawn, created_at, name, language, time_zone,
         clock, theme
    FROM users WHERE kind = 'person';

-- Which rules evaluate which devices: the rules of enabled packs that are assigned to the device or to its type.
-- Ingest, triggers and doctor read this view; no other place says it. An evaluation by an older revision of the pack
-- counts from "since_revision" on: a rule id always means the same rule, but the pack may have been disabled before.
CREATE VIEW shared_device_rules AS
  SELECT d.tenant_id, d.uid AS device_uid, d.id AS device_id, t.id AS threshold_id, r.rule_id, t.since_revision
    FROM shared_devices d CROSS JOIN thresholds t CROSS JOIN unnest(t.rule_ids) AS r (rule_id)
   WHERE d.deleted_at IS NULL AND t.enabled
     AND (EXISTS (SELECT FROM shared_device_thresholds a WHERE a.device_uid = d.uid AND a.threshold_id = t.id)
       OR EXISTS (SELECT FROM shared_device_type_thresholds a
                   WHERE a.device_type_id = d.device_type_id AND a.threshold_id = t.id));
`;
