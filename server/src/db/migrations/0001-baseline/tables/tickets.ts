/** Maintenance tickets with their numbers, history and comments. */
export const ticketsTables = `
-- "device_id" still names a device that has been deleted since.
CREATE TABLE tickets (
  id uuid PRIMARY KEY,
  tenant_id uuid NOT NULL REFERENCES tenants,
  number integer NOT NULL CHECK (number > 0),
  title text NOT NULL,
  description text NOT NULL DEFAULT '',
  type text NOT NULL CHECK (type IN ('corrective', 'preventive', 'inspection')),
  priority text NOT NULL CHECK (priority IN ('low', 'medium', 'high', 'urgent')),
  status text NOT NULL DEFAULT 'open' CHECK (status IN ('open', 'in_progress', 'on_hold', 'completed', 'cancelled')),
  device_uid uuid,
  device_id text,
  anomaly_id uuid,
  group_id uuid,
  assignee_user_id uuid,
  due_at timestamptz,
  resolution text,
  created_by text NOT NULL,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  started_at timestamptz,
  completed_at timestamptz,
  comments integer NOT NULL DEFAULT 0,
  UNIQUE (tenant_id, id),
  UNIQUE (tenant_id, number),
  CHECK ((device_uid IS NULL) = (device_id IS NULL)),
  CHECK (anomaly_id IS NULL OR device_uid IS NOT NULL),
  CHECK ((status = 'completed') = (completed_at IS NOT NULL)),
  CHECK (status IN ('open', 'cancelled') OR started_at IS NOT NULL),
  FOREIGN KEY (tenant_id, anomaly_id) REFERENCES anomalies (tenant_id, id),
  FOREIGN KEY (tenant_id, assignee_user_id) REFERENCES users (tenant_id, id),
  FOREIGN KEY (tenant_id, device_uid) REFERENCES devices (tenant_id, uid),
  FOREIGN KEY (tenant_id, group_id) REFERENCES groups (tenant_id, id) ON DELETE SET NULL (group_id)
);
CREATE INDEX tickets_anomaly ON tickets (anomaly_id, id) WHERE anomaly_id IS NOT NULL;
CREATE INDEX tickets_assignee ON tickets (tenant_id, assignee_user_id, id) WHERE assignee_user_id IS NOT NULL;
CREATE INDEX tickets_by_change ON tickets (tenant_id, updated_at, id);
CREATE INDEX tickets_by_due_time ON tickets (tenant_id, due_at, id DESC);
-- The order in which a column of the board shows tickets.
CREATE INDEX tickets_by_priority ON tickets
  (tenant_id, status, (CASE priority WHEN 'urgent' THEN '3' WHEN 'high' THEN '2' WHEN 'medium' THEN '1' ELSE '0' END), id);
CREATE INDEX tickets_device ON tickets (tenant_id, device_id, id) WHERE device_id IS NOT NULL;
CREATE INDEX tickets_due ON tickets (tenant_id, due_at)
  WHERE due_at IS NOT NULL AND status IN ('open', 'in_progress', 'on_hold');
CREATE INDEX tickets_listed_by_group ON tickets (tenant_id, group_id, id);
CREATE INDEX tickets_listed_by_priority ON tickets (tenant_id, priority, id);
CREATE INDEX tickets_listed_by_status ON tickets (tenant_id, status, id);
CREATE INDEX tickets_listed_by_type ON tickets (tenant_id, type, id);
CREATE UNIQUE INDEX tickets_unfinished ON tickets (anomaly_id)
  WHERE anomaly_id IS NOT NULL AND status IN ('open', 'in_progress', 'on_hold');

ALTER TABLE anomalies ADD FOREIGN KEY (tenant_id, ticket_id) REFERENCES tickets (tenant_id, id);

-- The last ticket number of a tenant. The transaction that opens a ticket takes the next one, so numbers have no gaps.
CREATE TABLE ticket_numbers (
  tenant_id uuid PRIMARY KEY REFERENCES tenants,
  last integer NOT NULL CHECK (last > 0)
);

-- The changed fields of each change: {"status": {"from": "open", "to": "in_progress"}}. The first entry of a ticket is
-- its opening. "seq" is the order of writing, which is the order of the changes of one ticket.
CREATE TABLE ticket_history (
  seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  id uuid NOT NULL UNIQUE,
  tenant_id uuid NOT NULL REFERENCES tenants,
  ticket_id uuid NOT NULL,
  at timestamptz NOT NULL,
  actor text NOT NULL,
  changes jsonb NOT NULL CHECK (jsonb_typeof(changes) = 'object' AND changes <> '{}'),
  FOREIGN KEY (tenant_id, ticket_id) REFERENCES tickets (tenant_id, id)
);
CREATE INDEX ticket_history_ticket ON ticket_history (ticket_id, seq);

CREATE TABLE ticket_comments (
  seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  id uuid NOT NULL UNIQUE,
  tenant_id uuid NOT NULL REFERENCES tenants,
  ticket_id uuid NOT NULL,
  at timestamptz NOT NULL,
  author text NOT NULL,
  text text NOT NULL CHECK (text <> ''),
  FOREIGN KEY (tenant_id, ticket_id) REFERENCES tickets (tenant_id, id)
);
CREATE INDEX ticket_comments_ticket ON ticket_comments (ticket_id, seq);
`;
