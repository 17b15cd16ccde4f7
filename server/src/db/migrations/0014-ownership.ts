/**
 * One owner for every table: what a feature shares with the others is a view of its own, `shared_<table>`, with the columns
 * that others may read. Views are plain, so that the planner inlines them.
 */
export const ownership = `
-- access
CREATE VIEW shared_tenants AS
  SELECT id, slug, name, telemetry_retention_days FROM tenants;

-- audit

-- devices
CREATE VIEW shared_devices AS
  SELECT uid, tenant_id, id, name, device_type_id, fingerprint_key, connectivity, connectivity_since, last_seen_at, deleted_at
    FROM devices;
CREATE VIEW shared_device_types AS
  SELECT id, tenant_id, name, publish_topics, subscribe_topics FROM device_types;
CREATE VIEW shared_device_groups AS
  SELECT device_uid, group_id FROM device_groups;

-- groups
CREATE VIEW shared_groups AS
  SELECT id, tenant_id, name FROM groups;

-- certificates
CREATE VIEW shared_certificates AS
  SELECT id, tenant_id, device_uid, device_id, kind, serial_number, fingerprint_sha256, issued_at, not_after, renew_after,
         claim_id, revoked_at, revocation_reason
    FROM certificates;

-- enrollment

-- connections
CREATE VIEW shared_mqtt_sessions AS
  SELECT client_id, tenant_id, device_uid, certificate_id FROM mqtt_sessions;

-- telemetry

-- rules

-- anomalies

-- tickets

-- events

-- notifications

-- visibility: which devices a user who is no admin sees, through the groups both belong to
CREATE VIEW device_viewers AS
  SELECT dg.device_uid, m.user_id
    FROM device_groups dg JOIN group_members m ON m.group_id = dg.group_id;
`;
