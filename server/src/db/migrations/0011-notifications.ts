/**
 * Notifications: who is paged for an anomaly and when, what is to be sent, and what became of it.
 *
 * Rules the database itself decides: a step of a group pages once an anomaly; one thing is told to one address once
 * (dedupe), in however many processes it is noticed; a certificate is complained of once a reason.
 */
export const notifications = `
-- Events that notifications act upon, put here in the transaction that makes them and taken away in the one that has
-- acted: no page is lost, and none waits for transactions that it has nothing to do with.
CREATE TABLE notification_inbox (
  seq bigint PRIMARY KEY,
  tenant_id uuid NOT NULL,
  at timestamptz NOT NULL,
  kind text NOT NULL,
  data jsonb NOT NULL
);
CREATE FUNCTION note_for_notifications() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO notification_inbox (seq, tenant_id, at, kind, data)
  VALUES (NEW.seq, NEW.tenant_id, NEW.at, NEW.kind, NEW.data);
  RETURN NULL;
END $$;
CREATE TRIGGER events_notified AFTER INSERT ON events FOR EACH ROW
  WHEN (NEW.kind IN ('anomaly.opened', 'anomaly.acknowledged', 'anomaly.resolved', 'certificate.superseded_tried',
                     'finding.shared_key'))
  EXECUTE FUNCTION note_for_notifications();

-- A step of a group's escalation for an anomaly. "paged": somebody was told; "nobody": there was nobody to tell;
-- "stopped": acknowledged or resolved before; "late": due more than a day ago, when it was looked at.
CREATE TABLE pages (
  tenant_id uuid NOT NULL,
  anomaly_id uuid NOT NULL,
  group_id uuid NOT NULL,
  after_minutes integer NOT NULL,
  notify text NOT NULL CHECK (notify IN ('shift', 'members', 'channels')),
  due_at timestamptz NOT NULL,
  state text NOT NULL DEFAULT 'due' CHECK (state IN ('due', 'paged', 'nobody', 'stopped', 'late')),
  PRIMARY KEY (anomaly_id, group_id, after_minutes),
  FOREIGN KEY (tenant_id, anomaly_id) REFERENCES anomalies (tenant_id, id),
  FOREIGN KEY (tenant_id, group_id) REFERENCES groups (tenant_id, id) ON DELETE CASCADE
);
CREATE INDEX pages_due ON pages (due_at) WHERE state = 'due';
CREATE INDEX pages_by_age ON pages (due_at);
CREATE INDEX pages_group ON pages (tenant_id, group_id);

-- The outbox. "id" is what receivers know it by (Message-ID, webhook-id), the same at every attempt. A claim moves
-- "next_at" past the longest attempt: it is the lease, after which another process may try.
CREATE TABLE deliveries (
  id uuid PRIMARY KEY,
  tenant_id uuid NOT NULL REFERENCES tenants,
  type text NOT NULL,
  channel text NOT NULL CHECK (channel IN ('email', 'webhook')),
  target text NOT NULL,
  user_id uuid,
  group_id uuid,
  anomaly_id uuid,
  payload json NOT NULL,
  dedupe bytea UNIQUE,
  created_at timestamptz NOT NULL,
  next_at timestamptz NOT NULL,
  attempts integer NOT NULL DEFAULT 0,
  claimed_at timestamptz,
  -- Whether an attempt may have reached the other side without our knowing.
  maybe_sent boolean NOT NULL DEFAULT false,
  -- The same of the attempts before the last one.
  maybe_sent_before boolean NOT NULL DEFAULT false,
  state text NOT NULL DEFAULT 'pending' CHECK (state IN ('pending', 'sent', 'failed', 'digested')),
  done_at timestamptz,
  last_error text,
  digest_id uuid,
  CHECK ((state = 'pending') = (done_at IS NULL)),
  CHECK ((state = 'digested') = (digest_id IS NOT NULL)),
  CHECK (channel = 'email' OR group_id IS NOT NULL)
);
CREATE INDEX deliveries_waiting ON deliveries (channel, next_at) WHERE state = 'pending';
CREATE INDEX deliveries_mailed ON deliveries (lower(target), claimed_at) WHERE channel = 'email';
CREATE INDEX deliveries_anomaly ON deliveries (anomaly_id) WHERE anomaly_id IS NOT NULL;
CREATE INDEX deliveries_listed ON deliveries (tenant_id, id);
CREATE INDEX deliveries_by_age ON deliveries (created_at);

CREATE TABLE delivery_attempts (
  delivery_id uuid NOT NULL REFERENCES deliveries ON DELETE CASCADE,
  attempt integer NOT NULL,
  at timestamptz NOT NULL,
  error text,
  PRIMARY KEY (delivery_id, attempt)
);

-- Webhooks that answered 410: nothing is sent there until somebody enables them again. By hash: addresses are long.
CREATE TABLE disabled_webhooks (
  tenant_id uuid NOT NULL REFERENCES tenants,
  target_sha256 bytea NOT NULL,
  target text NOT NULL,
  disabled_at timestamptz NOT NULL,
  PRIMARY KEY (tenant_id, target_sha256)
);

-- What the admins have been told of a certificate, for as long as it is kept.
CREATE TABLE certificate_notices (
  certificate_id uuid NOT NULL REFERENCES certificates ON DELETE CASCADE,
  kind text NOT NULL,
  at timestamptz NOT NULL,
  PRIMARY KEY (certificate_id, kind)
);
CREATE INDEX certificates_ending ON certificates (not_after) WHERE revoked_at IS NULL;
`;
