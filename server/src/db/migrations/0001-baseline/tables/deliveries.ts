/** The outbox of messages to users and channels, with their attempts and caps. */
export const deliveriesTables = `
-- The outbox. Receivers know a message by its "id" (Message-ID, webhook-id), which is the same at every attempt. A
-- claim moves "next_at" past the longest attempt: this is the lease, after which another process may try.
CREATE TABLE deliveries (
  id uuid PRIMARY KEY,
  tenant_id uuid NOT NULL REFERENCES tenants,
  type text NOT NULL,
  channel text NOT NULL CHECK (channel IN ('email', 'webhook', 'integration')),
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
  -- An attempt may have reached the receiver although it was not confirmed.
  maybe_sent boolean NOT NULL DEFAULT false,
  -- The same for all attempts but the latest.
  maybe_sent_before boolean NOT NULL DEFAULT false,
  state text NOT NULL DEFAULT 'pending' CHECK (state IN ('pending', 'sent', 'failed', 'digested', 'deferred')),
  done_at timestamptz,
  last_error text,
  digest_id uuid,
  claimed_by uuid,
  -- notifications/queues/priority.ts
  priority smallint NOT NULL DEFAULT 3 CHECK (priority BETWEEN 0 AND 3),
  -- Derived, so that no writer can put a message into the queue of another tenant.
  queue uuid NOT NULL GENERATED ALWAYS AS (
    md5(tenant_id::text || ' ' || channel || ' ' || CASE channel WHEN 'email' THEN lower(target) ELSE target END)::uuid
  ) STORED,
  -- A quiet choice of its user holds the message back until "deferred_until"; it is reconsidered at "release_at".
  deferred_by text CHECK (deferred_by IN ('quiet_hours', 'off_shift', 'held')),
  deferred_until timestamptz,
  release_at timestamptz,
  -- The delay, in minutes, of the escalation step whose page it is; 0 for other messages about an anomaly.
  step integer,
  -- The mailbox of a mail whose number is limited (lib/mail/email-address.ts).
  mailbox text,
  CHECK ((state = 'pending') = (done_at IS NULL)),
  CHECK ((state = 'digested') = (digest_id IS NOT NULL)),
  CONSTRAINT deliveries_deferred_check CHECK ((state = 'deferred') = (deferred_by IS NOT NULL)),
  CONSTRAINT deliveries_signed_check CHECK (channel = 'email' OR group_id IS NOT NULL OR user_id IS NOT NULL)
);
CREATE INDEX deliveries_anomaly ON deliveries (anomaly_id) WHERE anomaly_id IS NOT NULL;
CREATE INDEX deliveries_by_age ON deliveries (created_at);
CREATE INDEX deliveries_by_channel ON deliveries (tenant_id, channel, id);
CREATE INDEX deliveries_by_group ON deliveries (tenant_id, group_id, id);
-- Messages that confirm or test an address: the newest one says whether messages arrive there.
CREATE INDEX deliveries_checks ON deliveries (queue, id) WHERE type IN ('channel.confirmation', 'webhook.test');
CREATE INDEX deliveries_deferred ON deliveries (user_id, group_id)
  WHERE state = 'deferred' AND (release_at IS NOT NULL OR deferred_until IS NULL);
-- Two indexes have the condition "done_at IS NULL" instead of "state = 'pending'". Otherwise the planner would use them
-- for queues when the table is empty, and keep that plan.
CREATE INDEX deliveries_due ON deliveries (next_at) WHERE done_at IS NULL;
CREATE INDEX deliveries_expiring ON deliveries (created_at) WHERE done_at IS NULL;
CREATE INDEX deliveries_group_tests ON deliveries (group_id, id) WHERE type = 'group.test';
CREATE INDEX deliveries_listed ON deliveries (tenant_id, id);
CREATE INDEX deliveries_mailed ON deliveries (queue, claimed_at) WHERE channel = 'email';
CREATE INDEX deliveries_not_sent ON deliveries (tenant_id, state, id) WHERE state <> 'sent';
CREATE INDEX deliveries_of_mailbox ON deliveries (mailbox, created_at) WHERE mailbox IS NOT NULL;
CREATE INDEX deliveries_queued ON deliveries (channel, tenant_id, queue, priority, next_at) WHERE state = 'pending';
CREATE INDEX deliveries_of_digest ON deliveries (digest_id) WHERE digest_id IS NOT NULL;
CREATE INDEX deliveries_released ON deliveries (release_at) WHERE release_at IS NOT NULL;
CREATE INDEX deliveries_user_tests ON deliveries (user_id, id) WHERE type = 'user.test';

CREATE TABLE delivery_attempts (
  delivery_id uuid NOT NULL REFERENCES deliveries ON DELETE CASCADE,
  attempt integer NOT NULL,
  at timestamptz NOT NULL,
  error text,
  PRIMARY KEY (delivery_id, attempt)
);

-- How many messages of a tenant were accepted in the current minute, exact over all processes.
CREATE TABLE delivery_minutes (
  tenant_id uuid PRIMARY KEY REFERENCES tenants,
  minute timestamptz NOT NULL,
  critical_to_channels integer NOT NULL DEFAULT 0,
  others integer NOT NULL DEFAULT 0
);

-- How many messages the cap suppressed. Reported to the tenant's admins, and deleted, when the minute is over.
CREATE TABLE suppressed_deliveries (
  tenant_id uuid NOT NULL REFERENCES tenants,
  minute timestamptz NOT NULL,
  suppressed integer NOT NULL,
  PRIMARY KEY (tenant_id, minute)
);
CREATE INDEX suppressed_deliveries_by_age ON suppressed_deliveries (minute);
`;
