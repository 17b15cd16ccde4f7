/** Triggers that schedule a device for the next silence check. */
export const silenceFunctions = `
CREATE FUNCTION check_silence(device uuid) RETURNS void LANGUAGE sql AS $$
  INSERT INTO silence_checks VALUES (device, '-infinity') ON CONFLICT (device_uid) DO UPDATE SET due_at = excluded.due_at;
$$;

CREATE FUNCTION check_silence_of_device() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM check_silence(NEW.uid);
  RETURN NULL;
END $$;
CREATE TRIGGER devices_seen_from_the_start AFTER INSERT ON devices
  FOR EACH ROW WHEN (NEW.last_seen_at IS NOT NULL) EXECUTE FUNCTION check_silence_of_device();

CREATE FUNCTION check_silence_of_sender() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM check_silence(NEW.device_uid);
  RETURN NULL;
END $$;
CREATE TRIGGER anomalies_silence_resolved AFTER UPDATE OF resolved_at ON anomalies
  FOR EACH ROW WHEN (NEW.rule_id IS NULL
    AND NEW.certificate_id IS NULL
    AND OLD.resolved_at IS NULL
    AND NEW.resolved_at IS NOT NULL)
  EXECUTE FUNCTION check_silence_of_sender();
CREATE TRIGGER device_latest_first_message AFTER INSERT ON device_latest
  FOR EACH ROW WHEN (NEW.part = 0) EXECUTE FUNCTION check_silence_of_sender();

-- In the order of the devices, like the statement that stores messages: connects and first messages of the same devices
-- wait for each other and never deadlock.
CREATE FUNCTION check_silence_of_changed_devices() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO silence_checks
  SELECT e.uid, '-infinity' FROM entered e JOIN former f ON f.uid = e.uid
   WHERE e.device_type_id IS DISTINCT FROM f.device_type_id
      OR e.last_seen_at IS DISTINCT FROM f.last_seen_at AND (f.last_seen_at IS NULL OR EXISTS (
           SELECT FROM anomalies WHERE device_uid = e.uid AND resolved_at IS NULL AND rule_id IS NULL AND certificate_id IS NULL))
   ORDER BY e.uid
  ON CONFLICT (device_uid) DO UPDATE SET due_at = excluded.due_at;
  RETURN NULL;
END $$;
CREATE TRIGGER devices_seen_or_of_another_type AFTER UPDATE ON devices
  REFERENCING OLD TABLE AS former NEW TABLE AS entered
  FOR EACH STATEMENT EXECUTE FUNCTION check_silence_of_changed_devices();

CREATE FUNCTION check_silence_of_type() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO silence_rechecks (device_type_id) VALUES (NEW.id)
  ON CONFLICT (device_type_id) DO UPDATE SET after_uid = excluded.after_uid;
  RETURN NULL;
END $$;
CREATE TRIGGER device_types_other_silence AFTER UPDATE OF silent_for_seconds ON device_types
  FOR EACH ROW WHEN (OLD.silent_for_seconds IS DISTINCT FROM NEW.silent_for_seconds)
  EXECUTE FUNCTION check_silence_of_type();
`;
