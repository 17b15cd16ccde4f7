/** MQTT clients and client ids, nodes and their sessions, the outbox of session drops, refusals. */
export const connectionsTables = `
-- The owner of each client id in the whole broker (spec 4.10). A writer holds the row's lock, so ownership is never
-- decided by a read alone. A device owns its client id until "live_until", the end of its last valid certificate; an
-- MQTT client until it is removed.
CREATE TABLE client_ids (
  client_id text PRIMARY KEY,
  tenant_id uuid NOT NULL REFERENCES tenants,
  holder text NOT NULL CHECK (holder IN ('device', 'mqtt_client')),
  live_until timestamptz NOT NULL
);

-- Clients that sign in with a password: bridges and back-end services.
CREATE TABLE mqtt_clients (
  id uuid PRIMARY KEY,
  tenant_id uuid NOT NULL REFERENCES tenants,
  client_id text NOT NULL,
  username text NOT NULL,
  password_hash text NOT NULL,
  publish_topics text[] NOT NULL,
  subscribe_filters text[] NOT NULL,
  created_at timestamptz NOT NULL,
  disabled_at timestamptz,
  -- The admin who last registered it, enabled it or replaced its password; NULL: the shell did.
  owner_id uuid,
  -- The owner is no longer an active admin. A connect compares this column and needs no join.
  suspended boolean NOT NULL DEFAULT false,
  -- The name by which a program that manages the record knows it.
  external_id text CHECK (length(external_id) BETWEEN 1 AND 128),
  FOREIGN KEY (tenant_id, owner_id) REFERENCES users (tenant_id, id)
);
CREATE UNIQUE INDEX mqtt_clients_external_id ON mqtt_clients (tenant_id, external_id) WHERE disabled_at IS NULL;
CREATE UNIQUE INDEX mqtt_clients_client_id ON mqtt_clients (client_id) WHERE disabled_at IS NULL;
CREATE INDEX mqtt_clients_owner ON mqtt_clients (owner_id) WHERE owner_id IS NOT NULL;
CREATE INDEX mqtt_clients_tenant ON mqtt_clients (tenant_id, created_at);
CREATE UNIQUE INDEX mqtt_clients_username ON mqtt_clients (username) WHERE disabled_at IS NULL;

-- A process of the service. Its sessions count only while it sends heartbeats.
CREATE TABLE broker_nodes (
  id uuid PRIMARY KEY,
  started_at timestamptz NOT NULL,
  beat_at timestamptz NOT NULL,
  host text NOT NULL DEFAULT '',
  version text NOT NULL DEFAULT '',
  -- What the process does: all, jobs or serve.
  part text NOT NULL DEFAULT '',
  -- Since then the node accepts no connections and ends its sessions.
  draining_at timestamptz,
  -- Since then its sessions are being removed: its heartbeat is overdue, or its process has ended.
  reaped_at timestamptz,
  -- A node whose heartbeat is older has no sessions: it ends them itself before that, and others reap it then.
  lease_seconds integer NOT NULL DEFAULT 10,
  -- The newest migration step that the process knows: what only older versions need goes when none of them is left.
  schema_number integer NOT NULL
);

-- Nodes all of whose sessions are recorded. Sessions are committed without waiting for the disk, so a crash of
-- PostgreSQL may take back the latest ones, and a standby that takes over may lack more. Both empty an unlogged table:
-- a node that is not in it may have sessions that are not recorded (decision 0026).
CREATE UNLOGGED TABLE complete_nodes (
  node_id uuid PRIMARY KEY REFERENCES broker_nodes ON DELETE CASCADE
);

-- Nodes that are recording their sessions again. An attempt that is still in this table has lost nothing to a crash.
CREATE UNLOGGED TABLE completing_nodes (
  node_id uuid PRIMARY KEY REFERENCES broker_nodes ON DELETE CASCADE,
  attempt uuid NOT NULL
);

-- One row per client id: the last writer has taken the session over, in whichever process it lives. The row keeps the
-- session that it replaced, read under the row's lock, so that exactly one successor closes each predecessor. The node
-- is the only foreign key: a connect must never wait for a transaction that holds the device or the certificate.
CREATE SEQUENCE mqtt_session_seq;
CREATE TABLE mqtt_sessions (
  client_id text PRIMARY KEY,
  session_id uuid NOT NULL,
  seq bigint NOT NULL,
  node_id uuid NOT NULL REFERENCES broker_nodes ON DELETE CASCADE,
  previous_session_id uuid,
  previous_node_id uuid,
  tenant_id uuid NOT NULL,
  device_uid uuid,
  certificate_id uuid,
  mqtt_client_id uuid,
  remote_address text NOT NULL,
  connected_at timestamptz NOT NULL
);
CREATE INDEX mqtt_sessions_node ON mqtt_sessions (node_id);

-- From where and to which node a device connected last, kept when its session ends: what silent devices share.
CREATE TABLE device_origins (
  device_uid uuid PRIMARY KEY,
  node_id uuid NOT NULL,
  remote_address text NOT NULL
);

-- The outbox of session drops: written in the transaction of the change, delivered after it, acknowledged per node.
CREATE TABLE session_drops (
  seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  at timestamptz NOT NULL,
  certificate_id uuid,
  device_uid uuid,
  mqtt_client_id uuid,
  client_id text,
  session_id uuid,
  reason text NOT NULL,
  -- The node that has the sessions to close.
  node_id uuid NOT NULL,
  CHECK (num_nonnulls(certificate_id, device_uid, mqtt_client_id, session_id) = 1)
);
CREATE INDEX session_drops_client ON session_drops (client_id, at) WHERE client_id IS NOT NULL;
CREATE INDEX session_drops_node ON session_drops (node_id, seq);

CREATE TABLE session_drop_acks (
  seq bigint NOT NULL REFERENCES session_drops ON DELETE CASCADE,
  node_id uuid NOT NULL REFERENCES broker_nodes ON DELETE CASCADE,
  PRIMARY KEY (seq, node_id)
);

-- Why clients were refused. Repetitions are counted in "occurrences"; "last_at" is the last one, NULL without any.
CREATE TABLE connection_refusals (
  id uuid PRIMARY KEY,
  tenant_id uuid REFERENCES tenants,
  at timestamptz NOT NULL,
  reason text NOT NULL,
  client_id text,
  device_id text,
  serial_number text,
  fingerprint_sha256 text,
  remote_address text,
  tls_version text,
  topic text,
  occurrences bigint NOT NULL DEFAULT 1 CHECK (occurrences > 0),
  last_at timestamptz
);
CREATE INDEX connection_refusals_tenant ON connection_refusals (tenant_id, at DESC, id DESC);

-- Clients whose messages an admin watches for a while. "client_id" is that of an MQTT client or the id of a device.
CREATE TABLE client_traces (
  id uuid PRIMARY KEY,
  tenant_id uuid NOT NULL REFERENCES tenants,
  client_id text NOT NULL,
  started_at timestamptz NOT NULL,
  ends_at timestamptz NOT NULL
);
CREATE UNIQUE INDEX client_traces_client ON client_traces (tenant_id, client_id);

-- The acts of a traced client; payloads are not part of them.
CREATE TABLE client_trace_entries (
  trace_id uuid NOT NULL REFERENCES client_traces ON DELETE CASCADE,
  seq bigint GENERATED ALWAYS AS IDENTITY,
  at timestamptz NOT NULL,
  kind text NOT NULL CHECK (kind IN ('connected', 'disconnected', 'published', 'partly_stored', 'not_stored',
                                     'publish_refused', 'subscribed', 'subscribe_refused', 'delivered', 'omitted')),
  topic text,
  bytes integer,
  detail text,
  PRIMARY KEY (trace_id, seq)
);
`;
