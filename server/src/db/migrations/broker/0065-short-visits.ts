/**
 * A device that has come and gone within one write of presence has one update, which the trigger records both events of: the event of its connect is
 * new where `online_event_at` of an offline device has changed.
 */
export const shortVisits = `
CREATE OR REPLACE FUNCTION record_connectivity_event() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW.connectivity = 'offline' AND NEW.online_event_at IS DISTINCT FROM OLD.online_event_at THEN
    INSERT INTO events (tenant_id, at, changed_table, operation, device_id, device_uid, changed_row) VALUES (
      NEW.tenant_id, NEW.online_event_at, 'devices', TG_OP, NEW.id, NEW.uid,
      jsonb_build_object('connectivity', 'online', 'connectivity_reason', NULL));
  END IF;
  INSERT INTO events (tenant_id, at, changed_table, operation, device_id, device_uid, changed_row) VALUES (
    NEW.tenant_id, coalesce(NEW.connectivity_since, NEW.updated_at), 'devices', TG_OP, NEW.id, NEW.uid,
    jsonb_build_object('connectivity', NEW.connectivity, 'connectivity_reason', NEW.connectivity_reason));
  RETURN NULL;
END $$;

DROP TRIGGER devices_event_connectivity ON devices;
CREATE TRIGGER devices_event_connectivity AFTER UPDATE OF connectivity, online_event_owed, online_event_at ON devices FOR EACH ROW
  WHEN ((OLD.connectivity IS DISTINCT FROM NEW.connectivity AND NOT OLD.online_event_owed AND NOT NEW.online_event_owed)
    OR (OLD.connectivity = NEW.connectivity AND OLD.online_event_owed AND NOT NEW.online_event_owed)
    OR (NEW.connectivity = 'offline' AND OLD.online_event_at IS DISTINCT FROM NEW.online_event_at))
  EXECUTE FUNCTION record_connectivity_event();
`;
