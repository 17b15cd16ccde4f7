/** Commands that wait until their device subscribes to their topics and acknowledges them. */
export const deviceCommands = `
CREATE TABLE device_commands (
  -- The order in which they are sent.
  position bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  id uuid NOT NULL UNIQUE,
  tenant_id uuid NOT NULL REFERENCES tenants,
  device_uid uuid NOT NULL REFERENCES devices,
  topic text NOT NULL,
  payload bytea NOT NULL,
  created_at timestamptz NOT NULL,
  created_by text NOT NULL,
  expires_at timestamptz NOT NULL
);
CREATE INDEX device_commands_waiting ON device_commands (device_uid, position);
CREATE INDEX device_commands_created ON device_commands (created_at);
CREATE INDEX device_commands_expiry ON device_commands (expires_at);

-- The broker reads it with the statement that opens a session.
CREATE VIEW shared_device_commands AS SELECT device_uid, expires_at FROM device_commands;
`;
