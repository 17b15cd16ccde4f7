/**
 * Events: what happens in a tenant, written by triggers in the transaction of the change, so that no feature knows who
 * listens and none can forget to tell.
 *
 * "xid" is the transaction that wrote the event. A reader takes only events whose transaction is older than every one
 * that is still open (`xid < pg_snapshot_xmin(pg_current_snapshot())`), in the order of (xid, seq): nothing can then
 * appear before what has been read, however long another transaction takes.
 */
export const events = `
CREATE TABLE events (
  seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  xid xid8 NOT NULL DEFAULT pg_current_xact_id(),
  tenant_id uuid NOT NULL,
  at timestamptz NOT NULL,
  kind text NOT NULL,
  device_id text,
  device_uid uuid,
  data jsonb NOT NULL
);
CREATE INDEX events_read ON events (tenant_id, xid, seq);
CREATE INDEX events_at ON events (at);
CREATE INDEX events_superseded_tried ON events ((data->>'certificateId')) WHERE kind = 'certificate.superseded_tried';

-- The newest transaction of which an event has been forgotten: who has read no further may have missed something.
CREATE TABLE events_horizon (
  one boolean PRIMARY KEY DEFAULT true CHECK (one),
  xid xid8 NOT NULL
);
INSERT INTO events_horizon (xid) VALUES ('0');

-- NOTIFY makes commits wait for each other, so only what somebody waits for is told at once. Equal ones of one
-- transaction are one.
CREATE FUNCTION note_anomaly() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO events (tenant_id, at, kind, device_id, device_uid, data) VALUES (
    NEW.tenant_id,
    CASE NEW.status WHEN 'open' THEN NEW.opened_at WHEN 'acknowledged' THEN NEW.acknowledged_at ELSE NEW.resolved_at END,
    CASE NEW.status WHEN 'open' THEN 'anomaly.opened' WHEN 'acknowledged' THEN 'anomaly.acknowledged' ELSE 'anomaly.resolved' END,
    NEW.device_id, NEW.device_uid,
    jsonb_build_object('anomalyId', NEW.id, 'thresholdId', NEW.threshold_id, 'ruleId', NEW.rule_id, 'metric', NEW.metric,
      'value', NEW.value, 'limit', NEW.breached, 'severity', NEW.severity, 'status', NEW.status, 'message', NEW.message,
      'acknowledgedBy', NEW.acknowledged_by, 'comment', NEW.comment, 'resolvedBy', NEW.resolved_by));
  PERFORM pg_notify('muster_events', NEW.tenant_id::text);
  RETURN NULL;
END $$;
CREATE TRIGGER anomalies_event_opened AFTER INSERT ON anomalies FOR EACH ROW EXECUTE FUNCTION note_anomaly();
CREATE TRIGGER anomalies_event_changed AFTER UPDATE OF status ON anomalies
  FOR EACH ROW WHEN (OLD.status IS DISTINCT FROM NEW.status) EXECUTE FUNCTION note_anomaly();

CREATE FUNCTION note_ticket() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO events (tenant_id, at, kind, device_id, device_uid, data) VALUES (
    NEW.tenant_id, NEW.updated_at, CASE TG_OP WHEN 'INSERT' THEN 'ticket.opened' ELSE 'ticket.changed' END,
    NEW.device_id, NEW.device_uid,
    jsonb_build_object('ticketId', NEW.id, 'number', NEW.number, 'title', NEW.title, 'status', NEW.status,
      'priority', NEW.priority, 'anomalyId', NEW.anomaly_id, 'groupId', NEW.group_id,
      'assigneeUserId', NEW.assignee_user_id, 'createdBy', NEW.created_by));
  PERFORM pg_notify('muster_events', NEW.tenant_id::text);
  RETURN NULL;
END $$;
CREATE TRIGGER tickets_event_opened AFTER INSERT ON tickets FOR EACH ROW EXECUTE FUNCTION note_ticket();
CREATE TRIGGER tickets_event_changed AFTER UPDATE OF status ON tickets
  FOR EACH ROW WHEN (OLD.status IS DISTINCT FROM NEW.status) EXECUTE FUNCTION note_ticket();

CREATE FUNCTION note_connectivity() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO events (tenant_id, at, kind, device_id, device_uid, data) VALUES (
    NEW.tenant_id, coalesce(NEW.connectivity_since, NEW.updated_at), 'device.' || NEW.connectivity, NEW.id, NEW.uid,
    jsonb_build_object('reason', NEW.connectivity_reason));
  RETURN NULL;
END $$;
CREATE TRIGGER devices_event_connectivity AFTER UPDATE OF connectivity ON devices
  FOR EACH ROW WHEN (OLD.connectivity IS DISTINCT FROM NEW.connectivity) EXECUTE FUNCTION note_connectivity();

CREATE FUNCTION note_certificate() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO events (tenant_id, at, kind, device_id, device_uid, data) VALUES (
    NEW.tenant_id, NEW.at, replace(NEW.kind, 'device_cert_', 'certificate.'), NEW.device_id,
    (SELECT c.device_uid FROM certificates c WHERE c.id = NEW.certificate_id),
    jsonb_build_object('certificateId', NEW.certificate_id, 'serialNumber', NEW.serial_number,
      'previousSerialNumber', NEW.previous_serial_number, 'actor', NEW.actor));
  RETURN NULL;
END $$;
CREATE TRIGGER certificate_audit_event AFTER INSERT ON certificate_audit
  FOR EACH ROW EXECUTE FUNCTION note_certificate();

CREATE FUNCTION note_finding() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO events (tenant_id, at, kind, device_id, device_uid, data)
  SELECT NEW.tenant_id, NEW.at, 'finding.' || NEW.kind, d.id, d.uid,
    jsonb_build_object('findingId', NEW.id, 'certificateId', NEW.certificate_id)
    FROM devices d WHERE d.uid = NEW.device_uid;
  RETURN NULL;
END $$;
CREATE TRIGGER device_findings_event AFTER INSERT ON device_findings FOR EACH ROW EXECUTE FUNCTION note_finding();

-- A certificate that a renewal replaced is tried again: the device runs on an old identity, or somebody has a copy. Told
-- once while it is remembered: such a device comes back every few seconds.
CREATE FUNCTION note_superseded_try() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO events (tenant_id, at, kind, device_id, device_uid, data)
  SELECT c.tenant_id, NEW.at, 'certificate.superseded_tried', c.device_id, c.device_uid,
    jsonb_build_object('certificateId', c.id, 'serialNumber', c.serial_number, 'remoteAddress', NEW.remote_address)
    FROM certificates c
   WHERE c.serial_number = NEW.serial_number AND c.tenant_id = NEW.tenant_id AND c.revocation_reason = 'superseded'
     AND NOT EXISTS (SELECT FROM events e
       WHERE e.kind = 'certificate.superseded_tried' AND e.data->>'certificateId' = c.id::text);
  RETURN NULL;
END $$;
CREATE TRIGGER connection_refusals_event AFTER INSERT ON connection_refusals
  FOR EACH ROW WHEN (NEW.reason = 'revoked' AND NEW.serial_number IS NOT NULL)
  EXECUTE FUNCTION note_superseded_try();
`;
