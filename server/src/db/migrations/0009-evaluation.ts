/**
 * Rules are judged where messages arrive: what is kept between two messages, packs on device types, devices that fall silent,
 * and what becomes of anomalies that nobody judges any longer.
 *
 * Rules the database itself decides: two processes that judge the same metric from the same state do not both commit
 * (telemetry_latest.follows); an anomaly whose pack is taken off, changed or disabled is resolved in the transaction that does it; a
 * device has one unresolved anomaly for its silence.
 */
export const evaluation = `
-- Where a rule stands for a device when that is more than its anomalies say: a breach that does not last long enough yet, an
-- open anomaly whose values are well. "since" is in device time.
CREATE TABLE rule_states (
  device_uid uuid NOT NULL,
  rule_id uuid NOT NULL,
  threshold_id uuid NOT NULL,
  phase text NOT NULL CHECK (phase IN ('pending', 'clearing')),
  since timestamptz NOT NULL,
  PRIMARY KEY (device_uid, rule_id)
) WITH (fillfactor = 70);
CREATE INDEX rule_states_threshold ON rule_states (threshold_id);

-- A passenger: whoever stores a reading it has judged says here which reading it took for the newest ('-infinity': none), and
-- the statement refuses where that is not so (monitoring/telemetry-store.ts). Never read from the table.
ALTER TABLE telemetry_latest ADD COLUMN follows timestamptz;

CREATE TABLE device_type_thresholds (
  tenant_id uuid NOT NULL,
  device_type_id uuid NOT NULL,
  threshold_id uuid NOT NULL,
  PRIMARY KEY (device_type_id, threshold_id),
  FOREIGN KEY (tenant_id, device_type_id) REFERENCES device_types (tenant_id, id),
  FOREIGN KEY (tenant_id, threshold_id) REFERENCES thresholds (tenant_id, id) ON DELETE CASCADE
);
CREATE INDEX device_type_thresholds_threshold ON device_type_thresholds (threshold_id);

ALTER TABLE device_types ADD COLUMN silent_for_seconds integer CHECK (silent_for_seconds BETWEEN 1 AND 2592000);

-- The revision says whether the rules somebody remembers are still the rules.
ALTER TABLE thresholds ADD COLUMN revision integer NOT NULL DEFAULT 1, ADD COLUMN updated_at timestamptz;
UPDATE thresholds SET updated_at = created_at;
ALTER TABLE thresholds ALTER COLUMN updated_at SET NOT NULL;

-- A device that is silent breaks no rule of a pack and no metric: all three are NULL.
ALTER TABLE anomalies ALTER COLUMN threshold_id DROP NOT NULL, ALTER COLUMN rule_id DROP NOT NULL,
  ALTER COLUMN metric DROP NOT NULL,
  ADD CHECK ((rule_id IS NULL) = (threshold_id IS NULL)), ADD CHECK ((rule_id IS NULL) = (metric IS NULL)),
  DROP CONSTRAINT anomalies_check4,
  ADD CONSTRAINT anomalies_commented CHECK (comment IS NULL OR acknowledged_at IS NOT NULL OR resolved_at IS NOT NULL);
CREATE UNIQUE INDEX anomalies_silent ON anomalies (device_uid) WHERE resolved_at IS NULL AND rule_id IS NULL;
CREATE INDEX anomalies_unresolved_threshold ON anomalies (threshold_id) WHERE resolved_at IS NULL;

-- Whether a rule of a pack judges a device: put on it or on its type, enabled, and still in the pack.
CREATE FUNCTION judges(device uuid, pack uuid, rule uuid) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT EXISTS (
    SELECT FROM thresholds t JOIN devices d ON d.uid = device
     WHERE t.id = pack AND t.enabled AND d.deleted_at IS NULL
       AND (EXISTS (SELECT FROM device_thresholds w WHERE w.device_uid = device AND w.threshold_id = pack)
         OR EXISTS (SELECT FROM device_type_thresholds w WHERE w.device_type_id = d.device_type_id AND w.threshold_id = pack))
       AND EXISTS (SELECT FROM json_array_elements(t.rules) r WHERE r ->> 'id' = rule::text))
$$;

-- Ends what a pack can judge no longer, of one device or (NULL) of all. Whoever opens anomalies holds a key share of the pack,
-- which the full lock waits for, and looks at the pack only then: so none is opened after those that are resolved here.
CREATE FUNCTION end_unjudged(device uuid, pack uuid, at timestamptz, why text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM FROM thresholds WHERE id = pack FOR UPDATE;
  UPDATE anomalies a
     SET status = 'resolved', resolved_at = at, resolved_by = 'system',
         comment = coalesce(a.comment, 'No longer judged: ' || why || '.')
    FROM (SELECT u.id FROM anomalies u
           WHERE u.threshold_id = pack AND u.resolved_at IS NULL AND (device IS NULL OR u.device_uid = device)
             AND NOT judges(u.device_uid, pack, u.rule_id)
           ORDER BY u.device_uid, u.rule_id FOR UPDATE) ended
   WHERE a.id = ended.id;
  DELETE FROM rule_states s
   WHERE s.threshold_id = pack AND (device IS NULL OR s.device_uid = device) AND NOT judges(s.device_uid, pack, s.rule_id);
END $$;

-- What judges a device is remembered by the process that ingests for it, until it is told. '' is everything.
CREATE FUNCTION tell_rules(device text) RETURNS void LANGUAGE sql AS $$ SELECT pg_notify('muster_rules', device) $$;

-- Replacing a device takes its packs off and puts them on again in one transaction: only its end tells what is gone.
CREATE FUNCTION pack_taken_off_device() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  owner record;
BEGIN
  PERFORM FROM device_thresholds w WHERE w.device_uid = OLD.device_uid AND w.threshold_id = OLD.threshold_id;
  IF FOUND THEN RETURN NULL; END IF;
  PERFORM tell_rules(OLD.device_uid::text);
  SELECT d.updated_at, d.deleted_at INTO owner FROM devices d WHERE d.uid = OLD.device_uid;
  IF owner.deleted_at IS NULL THEN
    PERFORM end_unjudged(OLD.device_uid, OLD.threshold_id, owner.updated_at, 'its threshold pack was taken off the device');
  END IF;
  RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER device_thresholds_taken_off AFTER DELETE ON device_thresholds
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION pack_taken_off_device();

CREATE FUNCTION packs_put_on_devices() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM tell_rules(p.device_uid::text) FROM (SELECT DISTINCT device_uid FROM put_on) p;
  RETURN NULL;
END $$;
CREATE TRIGGER device_thresholds_put_on AFTER INSERT ON device_thresholds REFERENCING NEW TABLE AS put_on
  FOR EACH STATEMENT EXECUTE FUNCTION packs_put_on_devices();

CREATE FUNCTION device_has_another_type() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM tell_rules(NEW.uid::text);
  PERFORM end_unjudged(NEW.uid, w.threshold_id, NEW.updated_at, 'the device has another type')
     FROM (SELECT threshold_id FROM device_type_thresholds WHERE device_type_id = OLD.device_type_id ORDER BY threshold_id) w;
  RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER devices_have_another_type AFTER UPDATE OF device_type_id ON devices
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (OLD.device_type_id IS DISTINCT FROM NEW.device_type_id)
  EXECUTE FUNCTION device_has_another_type();

CREATE FUNCTION pack_taken_off_type() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM FROM device_type_thresholds w WHERE w.device_type_id = OLD.device_type_id AND w.threshold_id = OLD.threshold_id;
  IF FOUND THEN RETURN NULL; END IF;
  PERFORM tell_rules('');
  PERFORM end_unjudged(NULL, OLD.threshold_id, y.updated_at, 'its threshold pack was taken off the device type')
     FROM device_types y WHERE y.id = OLD.device_type_id;
  RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER device_type_thresholds_taken_off AFTER DELETE ON device_type_thresholds
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION pack_taken_off_type();

CREATE FUNCTION packs_put_on_types() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM tell_rules('');
  RETURN NULL;
END $$;
CREATE TRIGGER device_type_thresholds_put_on AFTER INSERT ON device_type_thresholds
  FOR EACH STATEMENT EXECUTE FUNCTION packs_put_on_types();

CREATE FUNCTION pack_revised() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF (OLD.enabled, OLD.rules::text) IS DISTINCT FROM (NEW.enabled, NEW.rules::text) THEN
    NEW.revision := OLD.revision + 1;
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER thresholds_revised BEFORE UPDATE OF enabled, rules ON thresholds
  FOR EACH ROW EXECUTE FUNCTION pack_revised();

CREATE FUNCTION pack_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM tell_rules('');
  PERFORM end_unjudged(NULL, NEW.id, NEW.updated_at, CASE WHEN NEW.enabled THEN 'its rule was changed' ELSE 'its threshold pack was disabled' END);
  RETURN NULL;
END $$;
CREATE TRIGGER thresholds_changed AFTER UPDATE ON thresholds
  FOR EACH ROW WHEN (OLD.revision <> NEW.revision) EXECUTE FUNCTION pack_changed();

-- As in 0005, and what was remembered of the device goes with it.
CREATE OR REPLACE FUNCTION stop_watching() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM FROM devices WHERE uid = NEW.uid FOR UPDATE;
  DELETE FROM device_thresholds WHERE device_uid = NEW.uid;
  DELETE FROM rule_states WHERE device_uid = NEW.uid;
  UPDATE anomalies a SET status = 'resolved', resolved_at = NEW.deleted_at, resolved_by = 'system'
    FROM (SELECT id FROM anomalies WHERE device_uid = NEW.uid AND resolved_at IS NULL ORDER BY rule_id FOR UPDATE) u
   WHERE a.id = u.id;
  PERFORM tell_rules(NEW.uid::text);
  RETURN NULL;
END $$;

-- For whoever is about to write what it judged: devices before packs and both in order. A statement of its own, since only
-- the next one sees what was waited for.
CREATE FUNCTION hold_judged(devices uuid[], packs uuid[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM FROM devices d WHERE d.uid = ANY (hold_judged.devices) ORDER BY d.uid FOR KEY SHARE;
  PERFORM FROM thresholds t WHERE t.id = ANY (hold_judged.packs) ORDER BY t.id FOR KEY SHARE;
END $$;
`;
