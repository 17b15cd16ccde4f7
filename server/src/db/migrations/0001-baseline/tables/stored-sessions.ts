/**
 * The broker's storage for clients: sessions of absent clients with their messages, retained messages, wills.
 */
export const storedSessionsTables = `
-- The state of a session that outlives its connection (MQTT 5 section 4.1).
CREATE TABLE stored_sessions (
  -- The device's uid, or the id of the MQTT client: a client id may belong to another device later.
  owner_id uuid PRIMARY KEY,
  tenant_id uuid NOT NULL REFERENCES tenants,
  client_id text NOT NULL,
  -- The certificate of the owner's last connection.
  certificate_id uuid,
  -- The connection that has the session, or had it last: only this one may write it.
  session_id uuid NOT NULL,
  -- [{filter, qos, …}]
  subscriptions jsonb NOT NULL DEFAULT '[]',
  -- Packet ids of QoS 2 messages that the client has not released.
  incoming_ids integer[] NOT NULL DEFAULT '{}',
  expiry_seconds integer NOT NULL,
  -- NULL while the owner is connected.
  expires_at timestamptz
);
CREATE INDEX stored_sessions_certificate ON stored_sessions (certificate_id) WHERE certificate_id IS NOT NULL;
CREATE INDEX stored_sessions_connected ON stored_sessions (owner_id) WHERE expires_at IS NULL;
CREATE INDEX stored_sessions_expiry ON stored_sessions (expires_at) WHERE expires_at IS NOT NULL;
CREATE INDEX stored_sessions_of_tenant ON stored_sessions (tenant_id);
CREATE INDEX stored_sessions_session ON stored_sessions (session_id);

-- Messages that wait for the client of a stored session.
CREATE TABLE stored_messages (
  -- Messages are sent in this order.
  position bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  owner_id uuid NOT NULL REFERENCES stored_sessions ON DELETE CASCADE,
  tenant_id uuid NOT NULL,
  topic text NOT NULL,
  payload bytea NOT NULL,
  qos smallint NOT NULL,
  retain boolean NOT NULL,
  -- The properties of MQTT 5, encoded.
  properties bytea NOT NULL,
  expires_at timestamptz,
  -- Set when the message was sent. "released": the client has received it (QoS 2), only the PUBCOMP is missing.
  packet_id integer,
  released boolean NOT NULL DEFAULT false,
  bytes integer NOT NULL,
  subscription_ids integer[] NOT NULL DEFAULT '{}'
);
CREATE INDEX stored_messages_of_owner ON stored_messages (owner_id, position);
CREATE INDEX stored_messages_of_tenant ON stored_messages (tenant_id) INCLUDE (bytes);

CREATE SEQUENCE retained_seq;
CREATE TABLE retained_messages (
  tenant_id uuid NOT NULL REFERENCES tenants,
  topic text NOT NULL,
  -- The device's uid, or the id of the MQTT client, that published it.
  owner_id uuid NOT NULL,
  payload bytea NOT NULL,
  qos smallint NOT NULL,
  -- The properties of MQTT 5, encoded.
  properties bytea NOT NULL,
  expires_at timestamptz,
  bytes integer NOT NULL,
  -- From retained_seq, drawn under the row's lock: a later message of the topic has a higher version.
  version bigint NOT NULL,
  PRIMARY KEY (tenant_id, topic)
) WITH (fillfactor=70);
CREATE INDEX retained_messages_expiry ON retained_messages (expires_at) WHERE expires_at IS NOT NULL;
CREATE INDEX retained_messages_owner ON retained_messages (owner_id);

-- Wills of connected clients, and wills that are to be published later.
CREATE TABLE wills (
  -- The connection that the will belongs to.
  session_id uuid PRIMARY KEY,
  -- The device's uid, or the id of the MQTT client.
  owner_id uuid NOT NULL,
  tenant_id uuid NOT NULL REFERENCES tenants,
  tenant_slug text NOT NULL,
  client_id text NOT NULL,
  is_device boolean NOT NULL,
  topic text NOT NULL,
  payload bytea NOT NULL,
  qos smallint NOT NULL,
  retain boolean NOT NULL,
  properties bytea NOT NULL,
  delay_seconds integer NOT NULL,
  -- NULL while the client is connected.
  due_at timestamptz,
  -- A lease: until then one process publishes the will.
  leased_until timestamptz
);
CREATE INDEX wills_connected ON wills (session_id) WHERE due_at IS NULL;
CREATE INDEX wills_due ON wills (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX wills_owner ON wills (owner_id);
`;
