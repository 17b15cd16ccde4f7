/**
 * Events are recorded in the transaction of the change, whichever feature makes it: the table, the operation and the
 * changed row. events/describe-change.ts turns a recorded row into the kind and payload that clients see.
 */
export const eventsFunctions = `
-- Once per statement, because one may open hundreds of anomalies. Anomalies enter the notification inbox here; the
-- events of two other tables do so by the trigger of enter_notification_inbox.
CREATE FUNCTION record_anomaly_events() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    WITH recorded AS (
      INSERT INTO events (tenant_id, at, changed_table, operation, device_id, device_uid, changed_row)
      SELECT n.tenant_id, coalesce(n.resolved_at, n.acknowledged_at, n.opened_at), 'anomalies', TG_OP, n.device_id, n.device_uid, to_jsonb(n)
        FROM entered n
      RETURNING seq, tenant_id, at, changed_table, operation, changed_row)
    INSERT INTO notification_inbox (seq, tenant_id, at, changed_table, operation, changed_row)
    SELECT * FROM recorded r WHERE r.changed_row->>'status' <> 'resolved';
    PERFORM pg_notify('muster_events', t.tenant_id::text) FROM (SELECT DISTINCT tenant_id FROM entered) t;
  ELSE
    WITH recorded AS (
      INSERT INTO events (tenant_id, at, changed_table, operation, device_id, device_uid, changed_row)
      SELECT n.tenant_id, coalesce(n.resolved_at, n.acknowledged_at, n.opened_at), 'anomalies', TG_OP, n.device_id, n.device_uid, to_jsonb(n)
        FROM entered n JOIN former o ON o.id = n.id WHERE o.status <> n.status
      RETURNING seq, tenant_id, at, changed_table, operation, changed_row)
    INSERT INTO notification_inbox (seq, tenant_id, at, changed_table, operation, changed_row) SELECT * FROM recorded;
    PERFORM pg_notify('muster_events', t.tenant_id::text)
       FROM (SELECT DISTINCT n.tenant_id FROM entered n JOIN former o ON o.id = n.id WHERE o.status <> n.status) t;
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER anomalies_event_changed AFTER UPDATE ON anomalies
  REFERENCING OLD TABLE AS former NEW TABLE AS entered
  FOR EACH STATEMENT EXECUTE FUNCTION record_anomaly_events();
CREATE TRIGGER anomalies_event_opened AFTER INSERT ON anomalies
  REFERENCING NEW TABLE AS entered
  FOR EACH STATEMENT EXECUTE FUNCTION record_anomaly_events();

-- Records the event, and counts the entry in the list of the audit.
CREATE FUNCTION record_certificate_event() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  entry uuid := NEW.id;
  counted boolean;
BEGIN
  INSERT INTO events (tenant_id, at, changed_table, operation, device_id, device_uid, changed_row) VALUES (
    NEW.tenant_id, NEW.at, 'certificate_audit', TG_OP, NEW.device_id,
    (SELECT c.device_uid FROM shared_certificates c WHERE c.id = NEW.certificate_id), to_jsonb(NEW))
  RETURNING current_setting('transaction_isolation') <> 'read committed' OR EXISTS (
    SELECT FROM list_blocks b WHERE b.tenant_id = events.tenant_id AND b.list = 'certificate_audit' AND b.upto >= entry) INTO counted;
  IF counted THEN
    PERFORM record_list_change('certificate_audit', NEW.tenant_id, NEW.id, NULL, '');
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER certificate_audit_added AFTER INSERT ON certificate_audit
  FOR EACH ROW EXECUTE FUNCTION record_certificate_event();

CREATE FUNCTION record_connectivity_event() RETURNS trigger LANGUAGE plpgsql AS $$
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
CREATE TRIGGER devices_event_connectivity AFTER UPDATE OF connectivity, online_event_owed, online_event_at ON devices
  FOR EACH ROW WHEN ((OLD.connectivity IS DISTINCT FROM NEW.connectivity
    AND NOT OLD.online_event_owed
    AND NOT NEW.online_event_owed)
    OR (OLD.connectivity = NEW.connectivity
    AND OLD.online_event_owed
    AND NOT NEW.online_event_owed)
    OR (NEW.connectivity = 'offline'
    AND OLD.online_event_at IS DISTINCT FROM NEW.online_event_at))
  EXECUTE FUNCTION record_connectivity_event();

CREATE FUNCTION record_finding_event() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO events (tenant_id, at, changed_table, operation, device_id, device_uid, changed_row)
  SELECT NEW.tenant_id, NEW.at, 'device_findings', TG_OP, d.id, d.uid, to_jsonb(NEW)
    FROM shared_devices d WHERE d.uid = NEW.device_uid;
  RETURN NULL;
END $$;
CREATE TRIGGER device_findings_event AFTER INSERT ON device_findings
  FOR EACH ROW EXECUTE FUNCTION record_finding_event();

CREATE FUNCTION record_superseded_try_event() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO events (tenant_id, at, changed_table, operation, device_id, device_uid, changed_row)
  SELECT c.tenant_id, NEW.at, 'connection_refusals', TG_OP, c.device_id, c.device_uid,
    jsonb_build_object('certificate_id', c.id, 'serial_number', c.serial_number, 'remote_address', NEW.remote_address)
    FROM shared_certificates c
   WHERE c.serial_number = NEW.serial_number AND c.tenant_id = NEW.tenant_id AND c.revocation_reason = 'superseded'
     AND NOT EXISTS (SELECT FROM events e
       WHERE e.changed_table = 'connection_refusals' AND e.changed_row->>'certificate_id' = c.id::text);
  RETURN NULL;
END $$;
CREATE TRIGGER connection_refusals_event AFTER INSERT ON connection_refusals
  FOR EACH ROW WHEN (NEW.reason = 'revoked' AND NEW.serial_number IS NOT NULL)
  EXECUTE FUNCTION record_superseded_try_event();

CREATE FUNCTION record_ticket_event() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO events (tenant_id, at, changed_table, operation, device_id, device_uid, changed_row) VALUES (
    NEW.tenant_id, NEW.updated_at, 'tickets', coalesce(TG_ARGV[0], TG_OP),
    NEW.device_id, NEW.device_uid, to_jsonb(NEW) - '{description,resolution}'::text[]);
  PERFORM pg_notify('muster_events', NEW.tenant_id::text);
  RETURN NULL;
END $$;
CREATE TRIGGER tickets_event_changed AFTER UPDATE OF status ON tickets
  FOR EACH ROW WHEN (OLD.status IS DISTINCT FROM NEW.status) EXECUTE FUNCTION record_ticket_event();
CREATE TRIGGER tickets_event_edited AFTER UPDATE ON tickets
  FOR EACH ROW WHEN (OLD.status = NEW.status AND OLD.* IS DISTINCT FROM NEW.*)
  EXECUTE FUNCTION record_ticket_event('EDIT');
CREATE TRIGGER tickets_event_opened AFTER INSERT ON tickets
  FOR EACH ROW EXECUTE FUNCTION record_ticket_event();

CREATE FUNCTION enter_notification_inbox() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO notification_inbox (seq, tenant_id, at, changed_table, operation, changed_row)
  VALUES (NEW.seq, NEW.tenant_id, NEW.at, NEW.changed_table, NEW.operation, NEW.changed_row);
  RETURN NULL;
END $$;
CREATE TRIGGER events_notified AFTER INSERT ON events
  FOR EACH ROW WHEN (NEW.changed_table IN ('device_findings', 'connection_refusals'))
  EXECUTE FUNCTION enter_notification_inbox();
`;
