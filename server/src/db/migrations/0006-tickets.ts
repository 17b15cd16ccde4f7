/**
 * Maintenance tickets: the work that a device, an anomaly or a person asks for, and what became of it.
 *
 * Rules the database itself decides: a ticket names devices, anomalies, groups and users of its own tenant only; the
 * numbers of a tenant are distinct; an anomaly has one unfinished ticket; a completed ticket has begun and has an end;
 * the history only grows.
 */
export const tickets = `
-- The last number given out. Whoever opens a ticket takes the next in the same transaction, so none is lost or doubled.
CREATE TABLE ticket_numbers (
  tenant_id uuid PRIMARY KEY REFERENCES tenants,
  last integer NOT NULL CHECK (last > 0)
);

-- "device_id" is kept beside "device_uid": a deleted device's tickets still say whose they were.
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
  UNIQUE (tenant_id, id),
  UNIQUE (tenant_id, number),
  FOREIGN KEY (tenant_id, device_uid) REFERENCES devices (tenant_id, uid),
  FOREIGN KEY (tenant_id, anomaly_id) REFERENCES anomalies (tenant_id, id),
  FOREIGN KEY (tenant_id, group_id) REFERENCES groups (tenant_id, id) ON DELETE SET NULL (group_id),
  FOREIGN KEY (tenant_id, assignee_user_id) REFERENCES users (tenant_id, id),
  CHECK ((device_uid IS NULL) = (device_id IS NULL)),
  CHECK (anomaly_id IS NULL OR device_uid IS NOT NULL),
  CHECK ((status = 'completed') = (completed_at IS NOT NULL)),
  CHECK (status IN ('open', 'cancelled') OR started_at IS NOT NULL)
);
CREATE UNIQUE INDEX tickets_unfinished ON tickets (anomaly_id)
  WHERE anomaly_id IS NOT NULL AND status IN ('open', 'in_progress', 'on_hold');
CREATE INDEX tickets_anomaly ON tickets (anomaly_id, id) WHERE anomaly_id IS NOT NULL;
CREATE INDEX tickets_listed_by_status ON tickets (tenant_id, status, id);
CREATE INDEX tickets_device ON tickets (tenant_id, device_id, id) WHERE device_id IS NOT NULL;
CREATE INDEX tickets_assignee ON tickets (tenant_id, assignee_user_id, id) WHERE assignee_user_id IS NOT NULL;
CREATE INDEX tickets_group ON tickets (group_id) WHERE group_id IS NOT NULL;

CREATE TRIGGER tickets_listed AFTER INSERT OR DELETE ON tickets FOR EACH ROW EXECUTE FUNCTION list_row_by_status();
CREATE TRIGGER tickets_moved AFTER UPDATE OF status ON tickets
  FOR EACH ROW WHEN (OLD.status IS DISTINCT FROM NEW.status) EXECUTE FUNCTION list_row_by_status();

-- The ticket that an anomaly shows: its unfinished one, else its newest.
ALTER TABLE anomalies ADD FOREIGN KEY (tenant_id, ticket_id) REFERENCES tickets (tenant_id, id);

-- What each change made of which field: {"status": {"from": "open", "to": "in_progress"}}. The first entry of a ticket
-- is its opening, with nothing before it. "seq" is the order of writing, which is that of the changes of one ticket.
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
CREATE TRIGGER ticket_history_grows BEFORE UPDATE OR DELETE ON ticket_history
  FOR EACH ROW EXECUTE FUNCTION refuse_rewrite();
`;
