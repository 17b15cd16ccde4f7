/** Wills that wait for their delay (MQTT 5, 3.1.3.2.2), and those of connected clients that ask for one. */
export const delayedWills = `
CREATE TABLE delayed_wills (
  -- The connection whose will it is.
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
  -- Until then a process is publishing it.
  leased_until timestamptz
);
CREATE INDEX delayed_wills_owner ON delayed_wills (owner_id);
CREATE INDEX delayed_wills_due ON delayed_wills (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX delayed_wills_connected ON delayed_wills (session_id) WHERE due_at IS NULL;
`;
