import { recordedChanges } from "./0014-events.ts";

/**
 * One owner for every table: what a feature shares with the others is a view of its own, `shared_<table>`, with the columns
 * that others may read. Views are plain, so that the planner inlines them.
 */
export const ownership = `
-- access
CREATE VIEW shared_tenants AS
  SELECT id, slug, name, telemetry_retention_days FROM tenants;
CREATE VIEW shared_users AS
  SELECT id, tenant_id, email, role, status, deleted_at FROM users;

-- audit

-- devices
CREATE VIEW shared_devices AS
  SELECT uid, tenant_id, id, name, device_type_id, fingerprint_key, connectivity, connectivity_since, last_seen_at, deleted_at
    FROM devices;
CREATE VIEW shared_device_types AS
  SELECT id, tenant_id, name, publish_topics, subscribe_topics, silent_for_seconds FROM device_types;
CREATE VIEW shared_device_groups AS
  SELECT device_uid, group_id FROM device_groups;
CREATE VIEW shared_device_thresholds AS
  SELECT device_uid, threshold_id FROM device_thresholds;
CREATE VIEW shared_device_type_thresholds AS
  SELECT device_type_id, threshold_id FROM device_type_thresholds;

-- groups
CREATE VIEW shared_groups AS
  SELECT id, tenant_id, name, channels, escalation FROM groups;
CREATE VIEW shared_group_members AS
  SELECT group_id, user_id FROM group_members;
CREATE VIEW shared_shifts AS
  SELECT id, tenant_id, name, time_zone, start_time, end_time, days_of_week, valid_from, valid_until FROM shifts;
CREATE VIEW shared_shift_users AS
  SELECT shift_id, user_id FROM shift_users;
CREATE VIEW shared_group_shifts AS
  SELECT group_id, shift_id FROM group_shifts;

-- certificates
CREATE VIEW shared_certificates AS
  SELECT id, tenant_id, device_uid, device_id, kind, serial_number, fingerprint_sha256, issued_at, not_after, renew_after,
         claim_id, revoked_at, revocation_reason
    FROM certificates;

-- enrollment

-- connections
CREATE VIEW shared_mqtt_sessions AS
  SELECT client_id, tenant_id, device_uid, certificate_id FROM mqtt_sessions;

-- telemetry
CREATE VIEW shared_telemetry_latest AS
  SELECT device_uid, metric, ts FROM telemetry_latest;

-- rules
CREATE VIEW shared_thresholds AS
  SELECT id, tenant_id, name FROM thresholds;

-- The ids of a pack's rules, so that a statement that asks for one need not parse the pack's JSON.
CREATE FUNCTION rule_ids(rules json) RETURNS uuid[] LANGUAGE sql IMMUTABLE AS $$
  SELECT array_agg((r ->> 'id')::uuid) FROM json_array_elements(rules) r
$$;
ALTER TABLE thresholds ADD COLUMN rule_ids uuid[] NOT NULL GENERATED ALWAYS AS (rule_ids(rules)) STORED;

-- Which rules evaluate which devices: those of enabled packs that are assigned to the device or to its type. The only place
-- that says so; ingest, the triggers below and doctor read it. What was evaluated by an older revision of the pack counts from
-- "since_revision" on: a rule's id always means the same rule, but the pack may have been disabled before it.
CREATE VIEW shared_device_rules AS
  SELECT d.tenant_id, d.uid AS device_uid, d.id AS device_id, t.id AS threshold_id, r.rule_id, t.since_revision
    FROM shared_devices d CROSS JOIN thresholds t CROSS JOIN unnest(t.rule_ids) AS r (rule_id)
   WHERE d.deleted_at IS NULL AND t.enabled
     AND (EXISTS (SELECT FROM shared_device_thresholds a WHERE a.device_uid = d.uid AND a.threshold_id = t.id)
       OR EXISTS (SELECT FROM shared_device_type_thresholds a
                   WHERE a.device_type_id = d.device_type_id AND a.threshold_id = t.id));

-- Row locks for a transaction that stores an evaluation: devices before packs, both in order. A statement of its own, since only
-- the next one sees what the locks waited for.
CREATE FUNCTION lock_for_evaluation(devices uuid[], packs uuid[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM FROM devices d WHERE d.uid = ANY (lock_for_evaluation.devices) ORDER BY d.uid FOR KEY SHARE;
  PERFORM FROM thresholds t WHERE t.id = ANY (lock_for_evaluation.packs) ORDER BY t.id FOR KEY SHARE;
END $$;

-- Processes that ingest cache the rules of their devices and drop them at this notification. '' is every device.
CREATE FUNCTION notify_rules_changed(device text) RETURNS void LANGUAGE sql AS $$ SELECT pg_notify('muster_rules', device) $$;

-- Resolves the anomalies of a pack whose rule no longer evaluates the device (NULL: any device), and forgets those rule states.
-- Ingest opens anomalies under a key share lock of the pack and checks the rule after it has the lock. The full lock here waits
-- for those transactions, so none opens an anomaly after this.
CREATE FUNCTION resolve_unevaluated(device uuid, pack uuid, at timestamptz, reason text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM FROM thresholds WHERE id = pack FOR UPDATE;
  -- OFFSET 0 has the view asked for each anomaly by its keys, never read as a whole.
  UPDATE anomalies a
     SET status = 'resolved', resolved_at = at, resolved_by = 'system', end_reason = reason
    FROM (SELECT u.id FROM anomalies u
           WHERE u.threshold_id = pack AND u.resolved_at IS NULL AND (device IS NULL OR u.device_uid = device)
             AND NOT EXISTS (SELECT FROM shared_device_rules e
               WHERE e.device_uid = u.device_uid AND e.threshold_id = pack AND e.rule_id = u.rule_id OFFSET 0)
           ORDER BY u.device_uid, u.rule_id FOR UPDATE) ended
   WHERE a.id = ended.id;
  DELETE FROM rule_states s
   WHERE s.threshold_id = pack AND (device IS NULL OR s.device_uid = device)
     AND NOT EXISTS (SELECT FROM shared_device_rules e
       WHERE e.device_uid = s.device_uid AND e.threshold_id = pack AND e.rule_id = s.rule_id OFFSET 0);
END $$;

-- Replacing a device unassigns its packs and assigns them again in one transaction: the trigger runs at its end. When the pack
-- itself is deleted, its own trigger has resolved everything.
ALTER FUNCTION pack_taken_off_device() RENAME TO device_threshold_unassigned;
ALTER TRIGGER device_thresholds_taken_off ON device_thresholds RENAME TO device_thresholds_unassigned;
CREATE OR REPLACE FUNCTION device_threshold_unassigned() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  owner record;
BEGIN
  PERFORM FROM thresholds t WHERE t.id = OLD.threshold_id;
  IF NOT FOUND THEN RETURN NULL; END IF;
  PERFORM FROM device_thresholds w WHERE w.device_uid = OLD.device_uid AND w.threshold_id = OLD.threshold_id;
  IF FOUND THEN RETURN NULL; END IF;
  PERFORM notify_rules_changed(OLD.device_uid::text);
  SELECT d.updated_at, d.deleted_at INTO owner FROM devices d WHERE d.uid = OLD.device_uid;
  IF owner.deleted_at IS NULL THEN
    PERFORM resolve_unevaluated(OLD.device_uid, OLD.threshold_id, owner.updated_at, 'pack_unassigned_from_device');
  END IF;
  RETURN NULL;
END $$;

ALTER FUNCTION packs_put_on_devices() RENAME TO device_thresholds_assigned;
ALTER TRIGGER device_thresholds_put_on ON device_thresholds RENAME TO device_thresholds_assigned;
CREATE OR REPLACE FUNCTION device_thresholds_assigned() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM notify_rules_changed(p.device_uid::text) FROM (SELECT DISTINCT device_uid FROM put_on) p;
  RETURN NULL;
END $$;

ALTER FUNCTION device_has_another_type() RENAME TO device_type_of_device_changed;
ALTER TRIGGER devices_have_another_type ON devices RENAME TO devices_type_changed;
CREATE OR REPLACE FUNCTION device_type_of_device_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM notify_rules_changed(NEW.uid::text);
  PERFORM resolve_unevaluated(NEW.uid, w.threshold_id, NEW.updated_at, 'device_type_changed')
     FROM (SELECT threshold_id FROM device_type_thresholds WHERE device_type_id = OLD.device_type_id ORDER BY threshold_id) w;
  RETURN NULL;
END $$;

ALTER FUNCTION pack_taken_off_type() RENAME TO device_type_threshold_unassigned;
ALTER TRIGGER device_type_thresholds_taken_off ON device_type_thresholds RENAME TO device_type_thresholds_unassigned;
CREATE OR REPLACE FUNCTION device_type_threshold_unassigned() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM FROM thresholds t WHERE t.id = OLD.threshold_id;
  IF NOT FOUND THEN RETURN NULL; END IF;
  PERFORM FROM device_type_thresholds w WHERE w.device_type_id = OLD.device_type_id AND w.threshold_id = OLD.threshold_id;
  IF FOUND THEN RETURN NULL; END IF;
  PERFORM notify_rules_changed('');
  PERFORM resolve_unevaluated(NULL, OLD.threshold_id, y.updated_at, 'pack_unassigned_from_device_type')
     FROM device_types y WHERE y.id = OLD.device_type_id;
  RETURN NULL;
END $$;

ALTER FUNCTION packs_put_on_types() RENAME TO device_type_thresholds_assigned;
ALTER TRIGGER device_type_thresholds_put_on ON device_type_thresholds RENAME TO device_type_thresholds_assigned;
CREATE OR REPLACE FUNCTION device_type_thresholds_assigned() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM notify_rules_changed('');
  RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION pack_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM notify_rules_changed('');
  PERFORM resolve_unevaluated(NULL, NEW.id, NEW.updated_at, CASE WHEN NEW.enabled THEN 'rule_changed' ELSE 'pack_disabled' END);
  RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION pack_deleted() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM notify_rules_changed('');
  PERFORM resolve_unevaluated(NULL, OLD.id, OLD.updated_at, 'pack_deleted');
  RETURN NULL;
END $$;

-- A deleted device has no packs, no rule states and no unresolved anomaly. The full lock waits for transactions that open
-- anomalies under a key share lock of the device.
ALTER FUNCTION stop_watching() RENAME TO device_deleted;
ALTER TRIGGER devices_watched_no_longer ON devices RENAME TO devices_deleted;
CREATE OR REPLACE FUNCTION device_deleted() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM FROM devices WHERE uid = NEW.uid FOR UPDATE;
  DELETE FROM device_thresholds WHERE device_uid = NEW.uid;
  DELETE FROM rule_states WHERE device_uid = NEW.uid;
  UPDATE anomalies a SET status = 'resolved', resolved_at = NEW.deleted_at, resolved_by = 'system'
    FROM (SELECT id FROM anomalies WHERE device_uid = NEW.uid AND resolved_at IS NULL ORDER BY rule_id FOR UPDATE) u
   WHERE a.id = u.id;
  PERFORM notify_rules_changed(NEW.uid::text);
  RETURN NULL;
END $$;

DROP FUNCTION judges(uuid, uuid, uuid);
DROP FUNCTION end_unjudged(uuid, uuid, timestamptz, text);
DROP FUNCTION hold_judged(uuid[], uuid[]);
DROP FUNCTION tell_rules(text);

-- anomalies
-- Why the service resolved an anomaly whose values were not well again: anomalies/end-reason.ts has the words.
ALTER TABLE anomalies ADD COLUMN end_reason text CHECK (end_reason IN ('pack_unassigned_from_device',
    'pack_unassigned_from_device_type', 'device_type_changed', 'rule_changed', 'pack_disabled', 'pack_deleted', 'silence_allowed')),
  ADD CONSTRAINT anomalies_ended CHECK (end_reason IS NULL OR resolved_at IS NOT NULL);
CREATE VIEW shared_anomalies AS
  SELECT id, tenant_id, device_uid, device_id, threshold_id, rule_id, metric, value, breached, severity, status, message,
         opened_at, resolved_at, resolved_by
    FROM anomalies;

-- tickets

-- events
${recordedChanges}
-- notifications

-- visibility: which devices a user who is no admin sees, through the groups both belong to
CREATE VIEW device_viewers AS
  SELECT dg.device_uid, m.user_id
    FROM device_groups dg JOIN group_members m ON m.group_id = dg.group_id;
`;
