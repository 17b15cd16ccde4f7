/**
 * Comments on tickets; an event for each change of a ticket that is none of its status; indexes for the lists of the app. `comments` counts
 * those of a ticket. The status stays the one thing of which `ticket.changed` tells.
 */
export const ticketComments = `
ALTER TABLE tickets ADD COLUMN comments integer NOT NULL DEFAULT 0;

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
CREATE TRIGGER ticket_comments_grows BEFORE UPDATE OR DELETE ON ticket_comments
  FOR EACH ROW EXECUTE FUNCTION refuse_rewrite();
CREATE TRIGGER ticket_comments_not_truncated BEFORE TRUNCATE ON ticket_comments
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_rewrite();

ALTER TABLE events DROP CONSTRAINT events_operation_check;
ALTER TABLE events ADD CONSTRAINT events_operation_check CHECK (operation IN ('INSERT', 'UPDATE', 'EDIT'));
CREATE OR REPLACE FUNCTION record_ticket_event() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO events (tenant_id, at, changed_table, operation, device_id, device_uid, changed_row) VALUES (
    NEW.tenant_id, NEW.updated_at, 'tickets', coalesce(TG_ARGV[0], TG_OP),
    NEW.device_id, NEW.device_uid, to_jsonb(NEW) - '{description,resolution}'::text[]);
  PERFORM pg_notify('muster_events', NEW.tenant_id::text);
  RETURN NULL;
END $$;
CREATE TRIGGER tickets_event_edited AFTER UPDATE ON tickets
  FOR EACH ROW WHEN (OLD.status = NEW.status AND OLD.* IS DISTINCT FROM NEW.*) EXECUTE FUNCTION record_ticket_event('EDIT');

-- In the order in which a column of the board shows them; the overdue ones.
CREATE INDEX tickets_by_priority ON tickets (tenant_id, status,
  (CASE priority WHEN 'urgent' THEN '3' WHEN 'high' THEN '2' WHEN 'medium' THEN '1' ELSE '0' END), id);
CREATE INDEX tickets_due ON tickets (tenant_id, due_at) WHERE due_at IS NOT NULL AND status IN ('open', 'in_progress', 'on_hold');

-- Beside very many resolved anomalies the unresolved ones are few.
CREATE INDEX anomalies_listed_unresolved ON anomalies (tenant_id, id) WHERE resolved_at IS NULL;
`;
