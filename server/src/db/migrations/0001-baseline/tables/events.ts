/** The journal of what happens in a tenant, which clients follow from a cursor. */
export const eventsTables = `
-- Triggers record the changed row in the transaction of the change (functions/events.ts). Readers follow the order of
-- "xid" and then "seq", and never read past a transaction that is still open.
CREATE TABLE events (
  seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  xid xid8 NOT NULL DEFAULT pg_current_xact_id(),
  tenant_id uuid NOT NULL,
  at timestamptz NOT NULL,
  device_id text,
  device_uid uuid,
  changed_table text NOT NULL
    CHECK (changed_table IN
      ('anomalies', 'tickets', 'devices', 'certificate_audit', 'device_findings', 'connection_refusals')),
  operation text NOT NULL CHECK (operation IN ('INSERT', 'UPDATE', 'EDIT')),
  changed_row jsonb NOT NULL
);
CREATE INDEX events_at ON events (at);
CREATE INDEX events_of_connectivity ON events (device_uid, at) WHERE changed_table = 'devices';
CREATE INDEX events_read ON events (tenant_id, xid, seq);
CREATE INDEX events_superseded_tried ON events ((changed_row ->> 'certificate_id'))
  WHERE changed_table = 'connection_refusals';

-- The newest transaction of which an event has been pruned: a cursor before it may have missed events.
CREATE TABLE events_horizon (
  one boolean PRIMARY KEY DEFAULT true CHECK (one),
  xid xid8 NOT NULL
);
INSERT INTO events_horizon (xid) VALUES ('0');
`;
