/** What the findings and the timeline of a device are read from: views of other features' tables, and indexes that have only what concerns them. */
export const overviews = `
CREATE OR REPLACE VIEW shared_certificates AS
  SELECT id, tenant_id, device_uid, device_id, kind, serial_number, fingerprint_sha256, issued_at, not_after, renew_after, claim_id,
         revoked_at, revocation_reason, publish_topics, subscribe_topics, issued_by, revoked_by
    FROM certificates;
CREATE INDEX certificates_publish_nowhere ON certificates (tenant_id, id) WHERE revoked_at IS NULL AND publish_topics = '{}';

CREATE OR REPLACE VIEW shared_devices AS
  SELECT uid, tenant_id, id, name, device_type_id, fingerprint_key, connectivity, connectivity_since, last_seen_at, deleted_at,
         certificate_until, certificate_renew_after
    FROM devices;

CREATE OR REPLACE VIEW shared_telemetry_latest AS
  SELECT device_uid, metric, ts, received_at, time_replaced FROM telemetry_latest;
-- Updates that leave "time_replaced" as it is stay in their page.
CREATE INDEX telemetry_latest_time_replaced ON telemetry_latest (device_uid) WHERE time_replaced;

CREATE OR REPLACE VIEW shared_tickets AS
  SELECT id, tenant_id, number, created_at, device_uid, device_id, title, created_by FROM tickets;

CREATE VIEW shared_device_findings AS
  SELECT tenant_id, device_uid, kind, certificate_id, at FROM device_findings;
CREATE INDEX device_findings_tenant ON device_findings (tenant_id);

CREATE VIEW shared_connection_refusals AS
  SELECT id, tenant_id, at, reason, device_id FROM connection_refusals;

CREATE VIEW shared_connectivity_events AS
  SELECT device_uid, at, changed_row->>'connectivity' AS connectivity, changed_row->>'connectivity_reason' AS reason
    FROM events WHERE changed_table = 'devices';
CREATE INDEX events_of_connectivity ON events (device_uid, at) WHERE changed_table = 'devices';
`;
