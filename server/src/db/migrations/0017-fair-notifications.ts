/**
 * Notifications in queues of one tenant and address, so that no tenant's messages wait behind another's, and critical pages before all
 * others. The indexes let a claim read heads of queues only, however long the queues are.
 */
export const fairNotifications = `
-- "queue" is derived, so that no writer can put a message into another tenant's queue. "priority": queues/priority.ts.
ALTER TABLE deliveries
  ADD COLUMN priority smallint NOT NULL DEFAULT 3 CHECK (priority BETWEEN 0 AND 3),
  ADD COLUMN queue uuid NOT NULL GENERATED ALWAYS AS (
    md5(tenant_id::text || ' ' || channel || ' ' || CASE channel WHEN 'email' THEN lower(target) ELSE target END)::uuid) STORED;
UPDATE deliveries SET priority =
  CASE WHEN type = 'anomaly.opened' AND payload->'anomaly'->>'severity' = 'critical' THEN 0 ELSE 2 END
  + CASE WHEN user_id IS NULL THEN 1 ELSE 0 END
 WHERE state = 'pending';

DROP INDEX deliveries_waiting;
DROP INDEX deliveries_mailed;
CREATE INDEX deliveries_queued ON deliveries (channel, tenant_id, queue, priority, next_at) WHERE state = 'pending';
-- The same rows, but another condition: on a new table the planner would take these for the queues, and keep that plan.
CREATE INDEX deliveries_due ON deliveries (next_at) WHERE done_at IS NULL;
CREATE INDEX deliveries_expiring ON deliveries (created_at) WHERE done_at IS NULL;
CREATE INDEX deliveries_mailed ON deliveries (queue, claimed_at) WHERE channel = 'email';

ALTER TABLE pages ADD COLUMN critical boolean NOT NULL DEFAULT false;
UPDATE pages p SET critical = true FROM anomalies a
 WHERE p.state = 'due' AND a.id = p.anomaly_id AND a.severity = 'critical';
CREATE INDEX pages_queued ON pages (tenant_id, critical, due_at) WHERE state = 'due';

CREATE INDEX notification_inbox_queued ON notification_inbox (tenant_id, seq);
`;
