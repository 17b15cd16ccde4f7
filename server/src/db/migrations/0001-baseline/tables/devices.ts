/** Device types, devices, what is assigned to them, and commands that wait for a device. */
export const devicesTables = `
CREATE TABLE device_types (
  id uuid PRIMARY KEY,
  tenant_id uuid NOT NULL REFERENCES tenants,
  name text NOT NULL,
  publish_topics text[] NOT NULL,
  subscribe_topics text[] NOT NULL DEFAULT '{}',
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  -- How long a device may send nothing; NULL: for ever. At most 30 days.
  silent_for_seconds integer CHECK (silent_for_seconds BETWEEN 1 AND 2592000),
  -- The name by which a program that manages the record knows it.
  external_id text CHECK (length(external_id) BETWEEN 1 AND 128),
  -- How the payloads of its devices are decoded.
  payload_format text NOT NULL DEFAULT 'auto'
    CHECK (payload_format IN ('auto', 'senml-json', 'senml-cbor', 'telegraf', 'cayenne-lpp')),
  -- Objects with a "metric" and optionally its "label", "unit", "pointer" (RFC 6901) and "factor".
  metrics jsonb NOT NULL DEFAULT '[]' CHECK (jsonb_typeof(metrics) = 'array'),
  UNIQUE (tenant_id, id)
);
CREATE UNIQUE INDEX device_types_external_id ON device_types (tenant_id, external_id);

-- "uid" identifies the record for ever; "id" is the operator's name for the device, which is free again once the record
-- is deleted. At a fillfactor of 80 a connect updates its row in place (HOT).
CREATE TABLE devices (
  uid uuid PRIMARY KEY,
  tenant_id uuid NOT NULL REFERENCES tenants,
  id text NOT NULL CHECK (id ~ '^[A-Za-z0-9_-]{1,64}$'),
  name text NOT NULL,
  description text NOT NULL DEFAULT '',
  device_type_id uuid,
  metadata jsonb NOT NULL DEFAULT '{}',
  hardware_fingerprint text,
  fingerprint_key text,
  hardware_model text,
  agent_version text,
  agent_capabilities text[] NOT NULL DEFAULT '{}',
  mac_address text,
  connectivity text NOT NULL DEFAULT 'never_seen' CHECK (connectivity IN ('never_seen', 'online', 'offline')),
  connectivity_since timestamptz,
  connectivity_reason text,
  -- The number of the session that set it (mqtt_sessions.seq): an older session does not overwrite it.
  connectivity_seq bigint NOT NULL DEFAULT 0,
  last_seen_at timestamptz,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  deleted_at timestamptz,
  -- When the last online event was recorded. Damping delays it: "online_event_owed" says that it is still to be
  -- recorded.
  online_event_at timestamptz,
  online_event_owed boolean NOT NULL DEFAULT false,
  -- The end, kind and renewal time of the unrevoked certificate that ends last. "certificate_revoked" says whether the
  -- newest certificate is revoked; it is NULL for a device without certificates. Triggers of certificates set all four.
  certificate_until timestamptz,
  certificate_kind text CHECK (certificate_kind IN ('self_enrolled', 'platform')),
  certificate_renew_after timestamptz,
  certificate_revoked boolean,
  CONSTRAINT devices_tenant_uid UNIQUE (tenant_id, uid),
  CHECK (NOT online_event_owed OR connectivity = 'online'),
  FOREIGN KEY (tenant_id, device_type_id) REFERENCES device_types (tenant_id, id)
) WITH (fillfactor=80);
CREATE INDEX devices_connectivity ON devices (tenant_id, connectivity, uid) WHERE deleted_at IS NULL;
-- A hardware fingerprint enrolls one device (spec 3.1 rule 4). Only a redemption sets "fingerprint_key".
CREATE UNIQUE INDEX devices_fingerprint ON devices (tenant_id, fingerprint_key)
  WHERE deleted_at IS NULL AND fingerprint_key IS NOT NULL;
CREATE UNIQUE INDEX devices_id ON devices (tenant_id, id) WHERE deleted_at IS NULL;
CREATE INDEX devices_listed ON devices (tenant_id, uid) WHERE deleted_at IS NULL;
CREATE INDEX devices_depends_on ON devices (tenant_id, (metadata ->> 'dependsOn'))
  WHERE deleted_at IS NULL AND (metadata ->> 'dependsOn') IS NOT NULL;
CREATE INDEX devices_online_event_owed ON devices (uid) WHERE online_event_owed;
-- Filters of the devices list.
CREATE INDEX devices_type ON devices (tenant_id, device_type_id, uid) WHERE deleted_at IS NULL;
CREATE INDEX devices_without_certificate ON devices (tenant_id, uid)
  WHERE deleted_at IS NULL AND certificate_revoked IS NULL;

CREATE TABLE device_groups (
  device_uid uuid NOT NULL REFERENCES devices,
  group_id uuid NOT NULL REFERENCES groups ON DELETE CASCADE,
  PRIMARY KEY (device_uid, group_id)
);
CREATE INDEX device_groups_group ON device_groups (group_id, device_uid);

CREATE TABLE device_thresholds (
  tenant_id uuid NOT NULL,
  device_uid uuid NOT NULL,
  threshold_id uuid NOT NULL,
  PRIMARY KEY (device_uid, threshold_id),
  FOREIGN KEY (tenant_id, device_uid) REFERENCES devices (tenant_id, uid),
  FOREIGN KEY (tenant_id, threshold_id) REFERENCES thresholds (tenant_id, id) ON DELETE CASCADE
);
CREATE INDEX device_thresholds_threshold ON device_thresholds (threshold_id);

CREATE TABLE device_type_thresholds (
  tenant_id uuid NOT NULL,
  device_type_id uuid NOT NULL,
  threshold_id uuid NOT NULL,
  PRIMARY KEY (device_type_id, threshold_id),
  FOREIGN KEY (tenant_id, device_type_id) REFERENCES device_types (tenant_id, id),
  FOREIGN KEY (tenant_id, threshold_id) REFERENCES thresholds (tenant_id, id) ON DELETE CASCADE
);
CREATE INDEX device_type_thresholds_threshold ON device_type_thresholds (threshold_id);

-- Messages for single devices. Those that are not pending are kept for a while, so that senders can read the outcome.
CREATE TABLE device_commands (
  -- Commands are sent in this order.
  position bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  id uuid NOT NULL UNIQUE,
  tenant_id uuid NOT NULL REFERENCES tenants,
  device_uid uuid NOT NULL REFERENCES devices,
  topic text NOT NULL,
  payload bytea NOT NULL,
  created_at timestamptz NOT NULL,
  created_by text NOT NULL,
  expires_at timestamptz NOT NULL,
  -- The commands that one request sent to many devices.
  batch_id uuid,
  -- When a session of the device was first given the command.
  sent_at timestamptz,
  -- Null while the command is pending.
  outcome text CHECK (outcome IN ('acknowledged', 'cancelled', 'expired')),
  ended_at timestamptz CHECK ((ended_at IS NULL) = (outcome IS NULL))
);
CREATE INDEX device_commands_created ON device_commands (created_at);
CREATE INDEX device_commands_expiry ON device_commands (expires_at) WHERE outcome IS NULL;
CREATE INDEX device_commands_waiting ON device_commands (device_uid, position) WHERE outcome IS NULL;
CREATE INDEX device_commands_device ON device_commands (device_uid, position);
CREATE INDEX device_commands_ended ON device_commands (ended_at) WHERE outcome IS NOT NULL;
CREATE INDEX device_commands_tenant ON device_commands (tenant_id, position);
CREATE INDEX device_commands_batch ON device_commands (batch_id, position) WHERE batch_id IS NOT NULL;
`;
