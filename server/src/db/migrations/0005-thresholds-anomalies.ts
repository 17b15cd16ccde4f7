/**
 * What is watched (threshold packs and the devices they are put on) and what was found (anomalies).
 *
 * Rules the database itself decides: a pack is put on devices of its own tenant only; a device and a rule have one
 * unresolved anomaly; an anomaly's status agrees with who acknowledged and resolved it; a device that is deleted leaves
 * no anomaly unresolved.
 */
export const thresholdsAnomalies = `
-- Rules are never searched for on their own, so a pack is one row, its rules as they are shown (json keeps their order):
-- [{id, metric, operator, value, …}].
CREATE TABLE thresholds (
  id uuid PRIMARY KEY,
  tenant_id uuid NOT NULL REFERENCES tenants,
  name text NOT NULL,
  description text NOT NULL DEFAULT '',
  enabled boolean NOT NULL DEFAULT true,
  rules json NOT NULL CHECK (CASE json_typeof(rules) WHEN 'array' THEN json_array_length(rules) BETWEEN 1 AND 50 ELSE false END),
  created_at timestamptz NOT NULL,
  UNIQUE (tenant_id, id)
);
CREATE TRIGGER thresholds_listed AFTER INSERT OR DELETE ON thresholds FOR EACH ROW EXECUTE FUNCTION list_row();

ALTER TABLE devices ADD CONSTRAINT devices_tenant_uid UNIQUE (tenant_id, uid);

CREATE TABLE device_thresholds (
  tenant_id uuid NOT NULL,
  device_uid uuid NOT NULL,
  threshold_id uuid NOT NULL,
  PRIMARY KEY (device_uid, threshold_id),
  FOREIGN KEY (tenant_id, device_uid) REFERENCES devices (tenant_id, uid),
  FOREIGN KEY (tenant_id, threshold_id) REFERENCES thresholds (tenant_id, id) ON DELETE CASCADE
);
CREATE INDEX device_thresholds_threshold ON device_thresholds (threshold_id);

-- "device_id" is kept beside "device_uid": a deleted device's anomalies still say whose they were.
-- "value" and "breached" (the record's "limit") are what JSON says of them: number, boolean, string or [low, high].
CREATE TABLE anomalies (
  id uuid PRIMARY KEY,
  tenant_id uuid NOT NULL REFERENCES tenants,
  device_uid uuid NOT NULL,
  device_id text NOT NULL,
  threshold_id uuid NOT NULL,
  rule_id uuid NOT NULL,
  metric text NOT NULL,
  value jsonb NOT NULL,
  breached jsonb NOT NULL,
  severity text NOT NULL CHECK (severity IN ('critical', 'major', 'minor', 'warning')),
  status text NOT NULL DEFAULT 'open' CHECK (status IN ('open', 'acknowledged', 'resolved')),
  message text NOT NULL,
  opened_at timestamptz NOT NULL,
  last_observed_at timestamptz NOT NULL,
  occurrences bigint NOT NULL CHECK (occurrences > 0),
  acknowledged_at timestamptz,
  acknowledged_by text,
  comment text,
  resolved_at timestamptz,
  resolved_by text,
  ticket_id uuid,
  UNIQUE (tenant_id, id),
  FOREIGN KEY (tenant_id, device_uid) REFERENCES devices (tenant_id, uid),
  FOREIGN KEY (tenant_id, threshold_id) REFERENCES thresholds (tenant_id, id),
  CHECK ((status = 'resolved') = (resolved_at IS NOT NULL)),
  CHECK ((resolved_at IS NULL) = (resolved_by IS NULL)),
  CHECK (CASE status WHEN 'open' THEN acknowledged_at IS NULL WHEN 'acknowledged' THEN acknowledged_at IS NOT NULL ELSE true END),
  CHECK ((acknowledged_at IS NULL) = (acknowledged_by IS NULL)),
  CHECK (comment IS NULL OR acknowledged_at IS NOT NULL)
);
CREATE UNIQUE INDEX anomalies_unresolved ON anomalies (device_uid, rule_id) WHERE resolved_at IS NULL;
CREATE INDEX anomalies_listed_by_status ON anomalies (tenant_id, status, id);
CREATE INDEX anomalies_listed_by_severity ON anomalies (tenant_id, severity, id);
CREATE INDEX anomalies_listed_by_device ON anomalies (tenant_id, device_id, id);
CREATE TRIGGER anomalies_listed AFTER INSERT OR DELETE ON anomalies
  FOR EACH ROW EXECUTE FUNCTION list_row_by_status();
CREATE TRIGGER anomalies_moved AFTER UPDATE OF status ON anomalies
  FOR EACH ROW WHEN (OLD.status IS DISTINCT FROM NEW.status) EXECUTE FUNCTION list_row_by_status();

-- Resolved is the end: the next fault is an anomaly of its own.
CREATE FUNCTION refuse_unresolve() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'a resolved anomaly stays resolved' USING ERRCODE = 'check_violation';
END $$;
CREATE TRIGGER anomalies_stay_resolved BEFORE UPDATE OF status ON anomalies
  FOR EACH ROW WHEN (OLD.status = 'resolved' AND NEW.status <> 'resolved') EXECUTE FUNCTION refuse_unresolve();

-- A deleted device is watched no longer. Whoever opens anomalies holds a key share of the device's row, which the full
-- lock waits for, and looks at the device only then: so none is opened after those that are resolved here.
CREATE FUNCTION stop_watching() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM FROM devices WHERE uid = NEW.uid FOR UPDATE;
  DELETE FROM device_thresholds WHERE device_uid = NEW.uid;
  UPDATE anomalies a SET status = 'resolved', resolved_at = NEW.deleted_at, resolved_by = 'system'
    FROM (SELECT id FROM anomalies WHERE device_uid = NEW.uid AND resolved_at IS NULL ORDER BY rule_id FOR UPDATE) u
   WHERE a.id = u.id;
  RETURN NULL;
END $$;
CREATE TRIGGER devices_watched_no_longer AFTER UPDATE OF deleted_at ON devices
  FOR EACH ROW WHEN (OLD.deleted_at IS NULL AND NEW.deleted_at IS NOT NULL) EXECUTE FUNCTION stop_watching();
`;
