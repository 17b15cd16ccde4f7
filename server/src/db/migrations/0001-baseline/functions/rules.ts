/**
 * Which rules evaluate which devices: a change resolves anomalies whose rule no longer applies, and has processes load
 * rules again. The view shared_device_rules says which rules apply.
 */
export const rulesFunctions = `
-- Processes cache the rules of the devices that they ingest for, and drop them at this notification; '' is every
-- device.
CREATE FUNCTION notify_rules_changed(device text) RETURNS void LANGUAGE sql AS $$
  SELECT pg_notify('muster_rules', device)
$$;

-- Processes drop the pack, and the rules of devices that have it.
CREATE FUNCTION notify_pack_changed(pack uuid) RETURNS void LANGUAGE sql AS $$
  SELECT pg_notify('muster_packs', pack::text)
$$;

-- Processes cache the payload format of a device type, and which type a device has; "changed" is either.
CREATE FUNCTION notify_format_changed(changed uuid) RETURNS void LANGUAGE sql AS $$
  SELECT pg_notify('muster_formats', changed::text)
$$;

CREATE FUNCTION device_type_format_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM notify_format_changed(NEW.id);
  RETURN NULL;
END $$;
CREATE TRIGGER device_types_other_format AFTER UPDATE OF payload_format, metrics ON device_types
  FOR EACH ROW WHEN ((OLD.payload_format, OLD.metrics) IS DISTINCT FROM (NEW.payload_format, NEW.metrics))
  EXECUTE FUNCTION device_type_format_changed();

-- Resolves the anomalies of a pack whose rule no longer evaluates the device (NULL: any device), and deletes their rule
-- states. Ingest opens anomalies under a key share lock of the pack and checks the rule after it has the lock. The full
-- lock here waits for those transactions, so none opens an anomaly afterwards.
CREATE FUNCTION resolve_unevaluated(device uuid, pack uuid, at timestamptz, reason text)
RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
  PERFORM FROM thresholds WHERE id = pack FOR UPDATE;
  -- OFFSET 0 makes PostgreSQL look up the view by key for each anomaly instead of reading all of it.
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

-- Row locks for a transaction that stores an evaluation: devices before packs, each in the order of their ids. It is a
-- statement of its own, because only the next statement sees what the locks waited for.
CREATE FUNCTION lock_for_evaluation(devices uuid[], packs uuid[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM FROM devices d WHERE d.uid = ANY (lock_for_evaluation.devices) ORDER BY d.uid FOR KEY SHARE;
  PERFORM FROM thresholds t WHERE t.id = ANY (lock_for_evaluation.packs) ORDER BY t.id FOR KEY SHARE;
END $$;

CREATE FUNCTION pack_revised() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF (OLD.enabled, OLD.rules::text) IS DISTINCT FROM (NEW.enabled, NEW.rules::text) THEN
    NEW.revision := OLD.revision + 1;
  END IF;
  IF OLD.enabled <> NEW.enabled THEN NEW.since_revision := NEW.revision; END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER thresholds_revised BEFORE UPDATE OF enabled, rules ON thresholds
  FOR EACH ROW EXECUTE FUNCTION pack_revised();

CREATE FUNCTION device_thresholds_assigned() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM notify_rules_changed(p.device_uid::text) FROM (SELECT DISTINCT device_uid FROM assigned) p;
  RETURN NULL;
END $$;
CREATE TRIGGER device_thresholds_assigned AFTER INSERT ON device_thresholds
  REFERENCING NEW TABLE AS assigned
  FOR EACH STATEMENT EXECUTE FUNCTION device_thresholds_assigned();

-- Replacing the packs of a device deletes and inserts the same row in one transaction, so the trigger runs at its end.
-- If the pack itself is gone, the function that deleted it has resolved everything.
CREATE FUNCTION device_threshold_unassigned() RETURNS trigger LANGUAGE plpgsql AS $$
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
CREATE CONSTRAINT TRIGGER device_thresholds_unassigned AFTER DELETE ON device_thresholds
  DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW EXECUTE FUNCTION device_threshold_unassigned();

CREATE FUNCTION device_type_thresholds_assigned() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM notify_rules_changed('');
  RETURN NULL;
END $$;
CREATE TRIGGER device_type_thresholds_assigned AFTER INSERT ON device_type_thresholds
  FOR EACH STATEMENT EXECUTE FUNCTION device_type_thresholds_assigned();

CREATE FUNCTION device_type_threshold_unassigned() RETURNS trigger LANGUAGE plpgsql AS $$
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
CREATE CONSTRAINT TRIGGER device_type_thresholds_unassigned AFTER DELETE ON device_type_thresholds
  DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW EXECUTE FUNCTION device_type_threshold_unassigned();

CREATE FUNCTION device_type_of_device_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM notify_rules_changed(NEW.uid::text);
  PERFORM notify_format_changed(NEW.uid);
  PERFORM resolve_unevaluated(NEW.uid, w.threshold_id, NEW.updated_at, 'device_type_changed')
     FROM (SELECT threshold_id FROM device_type_thresholds WHERE device_type_id = OLD.device_type_id ORDER BY threshold_id) w;
  RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER devices_type_changed AFTER UPDATE OF device_type_id ON devices
  DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW WHEN (OLD.device_type_id IS DISTINCT FROM NEW.device_type_id)
  EXECUTE FUNCTION device_type_of_device_changed();

-- Rules may have limits in the metadata of devices. The next version of the device's latest values makes a batch that
-- was evaluated with the former limits conflict, and be evaluated again.
CREATE FUNCTION device_metadata_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM FROM (SELECT threshold_id FROM device_thresholds WHERE device_uid = NEW.uid
                UNION ALL
                SELECT threshold_id FROM device_type_thresholds WHERE device_type_id = NEW.device_type_id) w
    JOIN thresholds t ON t.id = w.threshold_id WHERE t.reads_metadata;
  IF FOUND THEN
    PERFORM notify_rules_changed(NEW.uid::text);
    UPDATE device_latest SET version = version + 1 WHERE device_uid = NEW.uid AND part = 0;
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER devices_metadata_changed AFTER UPDATE OF metadata ON devices
  FOR EACH ROW WHEN (OLD.metadata IS DISTINCT FROM NEW.metadata) EXECUTE FUNCTION device_metadata_changed();

-- A deleted device has no packs, no rule states and no unresolved anomalies. The full lock waits for transactions that
-- open anomalies under a key share lock of the device.
CREATE FUNCTION device_deleted() RETURNS trigger LANGUAGE plpgsql AS $$
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
CREATE TRIGGER devices_deleted AFTER UPDATE OF deleted_at ON devices
  FOR EACH ROW WHEN (OLD.deleted_at IS NULL AND NEW.deleted_at IS NOT NULL) EXECUTE FUNCTION device_deleted();
`;
