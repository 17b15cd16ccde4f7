/**
 * The event of a connect is recorded at most once in some seconds a device. A device that is online while its event has to wait is
 * marked, so that any process can record the event later: the last recorded state is always the device's own.
 */
export const dampedPresence = `
ALTER TABLE devices ADD COLUMN online_event_at timestamptz, ADD COLUMN online_event_owed boolean NOT NULL DEFAULT false,
  ADD CHECK (NOT online_event_owed OR connectivity = 'online');
CREATE INDEX devices_online_event_owed ON devices (uid) WHERE online_event_owed;

DROP TRIGGER devices_event_connectivity ON devices;
CREATE TRIGGER devices_event_connectivity AFTER UPDATE OF connectivity, online_event_owed ON devices FOR EACH ROW
  WHEN ((OLD.connectivity IS DISTINCT FROM NEW.connectivity AND NOT OLD.online_event_owed AND NOT NEW.online_event_owed)
    OR (OLD.connectivity = NEW.connectivity AND OLD.online_event_owed AND NOT NEW.online_event_owed))
  EXECUTE FUNCTION record_connectivity_event();
`;
