/** MQTT sessions that outlive their connection, and the messages that wait in them. */
export const storedSessions = `
CREATE TABLE stored_sessions (
  -- The device's uid, or the id of the MQTT client: a client id may belong to another device later.
  owner_id uuid PRIMARY KEY,
  tenant_id uuid NOT NULL REFERENCES tenants,
  client_id text NOT NULL,
  -- With which the owner connected last.
  certificate_id uuid,
  -- The connection that has it, or had it last: no other one may write it.
  session_id uuid NOT NULL,
  -- [{filter, qos, …}]
  subscriptions jsonb NOT NULL DEFAULT '[]',
  -- Packet ids of QoS 2 messages of the client that it has not released.
  incoming_ids integer[] NOT NULL DEFAULT '{}',
  expiry_seconds integer NOT NULL,
  -- NULL while the owner is connected.
  expires_at timestamptz
);
CREATE INDEX stored_sessions_of_tenant ON stored_sessions (tenant_id);
CREATE INDEX stored_sessions_certificate ON stored_sessions (certificate_id) WHERE certificate_id IS NOT NULL;
CREATE INDEX stored_sessions_expiry ON stored_sessions (expires_at) WHERE expires_at IS NOT NULL;
CREATE INDEX stored_sessions_connected ON stored_sessions (owner_id) WHERE expires_at IS NULL;
CREATE INDEX stored_sessions_session ON stored_sessions (session_id);

CREATE TABLE stored_messages (
  -- The order in which they are sent.
  position bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  owner_id uuid NOT NULL REFERENCES stored_sessions ON DELETE CASCADE,
  tenant_id uuid NOT NULL,
  topic text NOT NULL,
  payload bytea NOT NULL,
  qos smallint NOT NULL,
  retain boolean NOT NULL,
  -- Those of MQTT 5, encoded.
  properties bytea NOT NULL,
  expires_at timestamptz,
  -- Set when the client was sent it; "released": it has received it (QoS 2), and lacks the PUBCOMP only.
  packet_id integer,
  released boolean NOT NULL DEFAULT false,
  bytes integer NOT NULL
);
CREATE INDEX stored_messages_of_owner ON stored_messages (owner_id, position);
CREATE INDEX stored_messages_of_tenant ON stored_messages (tenant_id) INCLUDE (bytes);
`;
