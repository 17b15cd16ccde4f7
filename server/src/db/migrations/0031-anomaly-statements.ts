/**
 * What is recorded of anomalies is recorded once a statement, not once a row: one message can change the anomalies of as many rules as a
 * device has, and a call for each row took most of the time of its commit.
 */
export const anomalyStatements = `
DROP TRIGGER anomalies_event_opened ON anomalies;
DROP TRIGGER anomalies_event_changed ON anomalies;
DROP FUNCTION record_anomaly_event();
CREATE FUNCTION record_anomaly_events() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    INSERT INTO events (tenant_id, at, changed_table, operation, device_id, device_uid, changed_row)
    SELECT n.tenant_id, coalesce(n.resolved_at, n.acknowledged_at, n.opened_at), 'anomalies', TG_OP, n.device_id, n.device_uid, to_jsonb(n)
      FROM entered n;
    PERFORM pg_notify('muster_events', t.tenant_id::text) FROM (SELECT DISTINCT tenant_id FROM entered) t;
  ELSE
    INSERT INTO events (tenant_id, at, changed_table, operation, device_id, device_uid, changed_row)
    SELECT n.tenant_id, coalesce(n.resolved_at, n.acknowledged_at, n.opened_at), 'anomalies', TG_OP, n.device_id, n.device_uid, to_jsonb(n)
      FROM entered n JOIN former o ON o.id = n.id WHERE o.status <> n.status;
    PERFORM pg_notify('muster_events', t.tenant_id::text)
       FROM (SELECT DISTINCT n.tenant_id FROM entered n JOIN former o ON o.id = n.id WHERE o.status <> n.status) t;
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER anomalies_event_opened AFTER INSERT ON anomalies REFERENCING NEW TABLE AS entered
  FOR EACH STATEMENT EXECUTE FUNCTION record_anomaly_events();
CREATE TRIGGER anomalies_event_changed AFTER UPDATE ON anomalies REFERENCING OLD TABLE AS former NEW TABLE AS entered
  FOR EACH STATEMENT EXECUTE FUNCTION record_anomaly_events();

-- Nearly all rows are newer than every counted block: note_listed is called for the others only.
CREATE FUNCTION list_anomalies() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF current_setting('transaction_isolation') <> 'read committed' THEN
    RAISE EXCEPTION 'rows of lists are written in READ COMMITTED transactions only';
  END IF;
  IF TG_OP = 'INSERT' THEN
    PERFORM note_listed('anomalies', n.tenant_id, n.id, NULL, n.status) FROM entered n
      WHERE EXISTS (SELECT FROM list_blocks b WHERE b.tenant_id = n.tenant_id AND b.list = 'anomalies' AND b.upto >= n.id);
  ELSE
    PERFORM note_listed('anomalies', n.tenant_id, n.id, o.status, n.status) FROM entered n JOIN former o ON o.id = n.id
      WHERE o.status <> n.status
        AND EXISTS (SELECT FROM list_blocks b WHERE b.tenant_id = n.tenant_id AND b.list = 'anomalies' AND b.upto >= n.id);
  END IF;
  RETURN NULL;
END $$;
DROP TRIGGER anomalies_listed ON anomalies;
DROP TRIGGER anomalies_moved ON anomalies;
CREATE TRIGGER anomalies_listed AFTER INSERT ON anomalies REFERENCING NEW TABLE AS entered
  FOR EACH STATEMENT EXECUTE FUNCTION list_anomalies();
CREATE TRIGGER anomalies_moved AFTER UPDATE ON anomalies REFERENCING OLD TABLE AS former NEW TABLE AS entered
  FOR EACH STATEMENT EXECUTE FUNCTION list_anomalies();
CREATE TRIGGER anomalies_unlisted AFTER DELETE ON anomalies FOR EACH ROW EXECUTE FUNCTION list_row_by_status();

-- The same of the inbox that they enter.
DROP TRIGGER events_notified ON events;
CREATE OR REPLACE FUNCTION enter_notification_inbox() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO notification_inbox (seq, tenant_id, at, changed_table, operation, changed_row)
  SELECT n.seq, n.tenant_id, n.at, n.changed_table, n.operation, n.changed_row FROM recorded n
   WHERE n.changed_table IN ('device_findings', 'connection_refusals')
      OR n.changed_table = 'anomalies' AND NOT (n.operation = 'INSERT' AND n.changed_row->>'status' = 'resolved');
  RETURN NULL;
END $$;
CREATE TRIGGER events_notified AFTER INSERT ON events REFERENCING NEW TABLE AS recorded
  FOR EACH STATEMENT EXECUTE FUNCTION enter_notification_inbox();
`;
