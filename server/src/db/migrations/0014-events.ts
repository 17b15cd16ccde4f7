/**
 * The part of events in migration 14. An event records a change: the table, the operation, and columns of the row after it. Which kind
 * and payload that is, and nothing of it, stands in the database: `events/describe-change.ts` says so when the event is read.
 */
export const recordedChanges = `
DROP TRIGGER events_notified ON events;
DROP INDEX events_superseded_tried;
ALTER TABLE events ADD COLUMN changed_table text, ADD COLUMN operation text, ADD COLUMN changed_row jsonb;
ALTER TABLE notification_inbox ADD COLUMN changed_table text, ADD COLUMN operation text, ADD COLUMN changed_row jsonb;

-- What was recorded before, in the new form.
CREATE FUNCTION changed_table_of(kind text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE WHEN kind = 'certificate.superseded_tried' THEN 'connection_refusals' ELSE
    CASE split_part(kind, '.', 1) WHEN 'anomaly' THEN 'anomalies' WHEN 'ticket' THEN 'tickets' WHEN 'device' THEN 'devices'
      WHEN 'certificate' THEN 'certificate_audit' WHEN 'finding' THEN 'device_findings' END END
$$;
CREATE FUNCTION changed_row_of(kind text, data jsonb) RETURNS jsonb LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE changed_table_of(kind)
    WHEN 'anomalies' THEN jsonb_build_object('id', data->'anomalyId', 'threshold_id', data->'thresholdId',
      'rule_id', data->'ruleId', 'metric', data->'metric', 'value', data->'value', 'breached', data->'limit',
      'severity', data->'severity', 'status', data->'status', 'message', data->'message',
      'acknowledged_by', data->'acknowledgedBy', 'comment', data->'comment', 'resolved_by', data->'resolvedBy',
      'end_reason', NULL)
    WHEN 'tickets' THEN jsonb_build_object('id', data->'ticketId', 'number', data->'number', 'title', data->'title',
      'status', data->'status', 'priority', data->'priority', 'anomaly_id', data->'anomalyId', 'group_id', data->'groupId',
      'assignee_user_id', data->'assigneeUserId', 'created_by', data->'createdBy')
    WHEN 'devices' THEN jsonb_build_object('connectivity', split_part(kind, '.', 2), 'connectivity_reason', data->'reason')
    WHEN 'certificate_audit' THEN jsonb_build_object('kind', replace(kind, 'certificate.', 'device_cert_'),
      'certificate_id', data->'certificateId', 'serial_number', data->'serialNumber',
      'previous_serial_number', data->'previousSerialNumber', 'actor', data->'actor')
    WHEN 'device_findings' THEN jsonb_build_object('id', data->'findingId', 'kind', split_part(kind, '.', 2),
      'certificate_id', data->'certificateId')
    WHEN 'connection_refusals' THEN jsonb_build_object('certificate_id', data->'certificateId',
      'serial_number', data->'serialNumber', 'remote_address', data->'remoteAddress') END
$$;
UPDATE events SET changed_table = changed_table_of(kind), changed_row = changed_row_of(kind, data),
  operation = CASE WHEN kind IN ('anomaly.acknowledged', 'anomaly.resolved', 'ticket.changed', 'device.online', 'device.offline')
    THEN 'UPDATE' ELSE 'INSERT' END;
UPDATE notification_inbox SET changed_table = changed_table_of(kind), changed_row = changed_row_of(kind, data),
  operation = CASE WHEN kind IN ('anomaly.acknowledged', 'anomaly.resolved') THEN 'UPDATE' ELSE 'INSERT' END;
DROP FUNCTION changed_row_of(text, jsonb);
DROP FUNCTION changed_table_of(text);

ALTER TABLE events DROP COLUMN kind, DROP COLUMN data, ALTER changed_table SET NOT NULL, ALTER operation SET NOT NULL,
  ALTER changed_row SET NOT NULL, ADD CHECK (operation IN ('INSERT', 'UPDATE')),
  ADD CHECK (changed_table IN ('anomalies', 'tickets', 'devices', 'certificate_audit', 'device_findings', 'connection_refusals'));
ALTER TABLE notification_inbox DROP COLUMN kind, DROP COLUMN data, ALTER changed_table SET NOT NULL,
  ALTER operation SET NOT NULL, ALTER changed_row SET NOT NULL;
CREATE INDEX events_superseded_tried ON events ((changed_row->>'certificate_id')) WHERE changed_table = 'connection_refusals';

-- NOTIFY makes commits wait for each other, so only the events that someone waits for send one. Equal ones of a transaction are one.
ALTER FUNCTION note_anomaly() RENAME TO record_anomaly_event;
CREATE OR REPLACE FUNCTION record_anomaly_event() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO events (tenant_id, at, changed_table, operation, device_id, device_uid, changed_row) VALUES (
    NEW.tenant_id, coalesce(NEW.resolved_at, NEW.acknowledged_at, NEW.opened_at), 'anomalies', TG_OP,
    NEW.device_id, NEW.device_uid, to_jsonb(NEW));
  PERFORM pg_notify('muster_events', NEW.tenant_id::text);
  RETURN NULL;
END $$;

ALTER FUNCTION note_ticket() RENAME TO record_ticket_event;
CREATE OR REPLACE FUNCTION record_ticket_event() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO events (tenant_id, at, changed_table, operation, device_id, device_uid, changed_row) VALUES (
    NEW.tenant_id, NEW.updated_at, 'tickets', TG_OP,
    NEW.device_id, NEW.device_uid, to_jsonb(NEW) - '{description,resolution}'::text[]);
  PERFORM pg_notify('muster_events', NEW.tenant_id::text);
  RETURN NULL;
END $$;

-- Two columns only: a device is large, and this runs at every CONNECT.
ALTER FUNCTION note_connectivity() RENAME TO record_connectivity_event;
CREATE OR REPLACE FUNCTION record_connectivity_event() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO events (tenant_id, at, changed_table, operation, device_id, device_uid, changed_row) VALUES (
    NEW.tenant_id, coalesce(NEW.connectivity_since, NEW.updated_at), 'devices', TG_OP, NEW.id, NEW.uid,
    jsonb_build_object('connectivity', NEW.connectivity, 'connectivity_reason', NEW.connectivity_reason));
  RETURN NULL;
END $$;

ALTER FUNCTION note_certificate() RENAME TO record_certificate_event;
CREATE OR REPLACE FUNCTION record_certificate_event() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO events (tenant_id, at, changed_table, operation, device_id, device_uid, changed_row) VALUES (
    NEW.tenant_id, NEW.at, 'certificate_audit', TG_OP, NEW.device_id,
    (SELECT c.device_uid FROM shared_certificates c WHERE c.id = NEW.certificate_id), to_jsonb(NEW));
  RETURN NULL;
END $$;

ALTER FUNCTION note_finding() RENAME TO record_finding_event;
CREATE OR REPLACE FUNCTION record_finding_event() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO events (tenant_id, at, changed_table, operation, device_id, device_uid, changed_row)
  SELECT NEW.tenant_id, NEW.at, 'device_findings', TG_OP, d.id, d.uid, to_jsonb(NEW)
    FROM shared_devices d WHERE d.uid = NEW.device_uid;
  RETURN NULL;
END $$;

-- A certificate that a renewal replaced is used again: the device has lost its new one, or a copy exists. Recorded once a
-- retention: such a device connects every few seconds.
ALTER FUNCTION note_superseded_try() RENAME TO record_superseded_try_event;
CREATE OR REPLACE FUNCTION record_superseded_try_event() RETURNS trigger LANGUAGE plpgsql AS $$
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

-- notifications: the events they act upon enter their inbox in the same transaction.
ALTER FUNCTION note_for_notifications() RENAME TO enter_notification_inbox;
CREATE OR REPLACE FUNCTION enter_notification_inbox() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO notification_inbox (seq, tenant_id, at, changed_table, operation, changed_row)
  VALUES (NEW.seq, NEW.tenant_id, NEW.at, NEW.changed_table, NEW.operation, NEW.changed_row);
  RETURN NULL;
END $$;
CREATE TRIGGER events_notified AFTER INSERT ON events FOR EACH ROW
  WHEN (NEW.changed_table IN ('anomalies', 'device_findings', 'connection_refusals'))
  EXECUTE FUNCTION enter_notification_inbox();
`;
