/**
 * Users have channels of their own, confirmed like those of groups, and quiet choices. What a quiet choice holds back is a delivery in the
 * state `deferred`, so that the log shows it.
 */
export const personalNotifications = `
-- Which pages of the group no quiet choice of a user holds back.
ALTER TABLE groups ADD COLUMN always_pages text NOT NULL DEFAULT 'critical' CHECK (always_pages IN ('all', 'critical', 'none'));
CREATE OR REPLACE VIEW shared_groups AS
  SELECT id, tenant_id, name, channels, escalation, pages_lost_renewals, always_pages FROM groups;

-- "key": that of the address in channel_addresses, where it has a row for each user.
CREATE TABLE user_channels (
  id uuid PRIMARY KEY,
  tenant_id uuid NOT NULL REFERENCES tenants,
  user_id uuid NOT NULL REFERENCES users,
  type text NOT NULL CHECK (type IN ('email', 'webhook')),
  target text NOT NULL,
  key bytea NOT NULL,
  created_at timestamptz NOT NULL,
  UNIQUE (user_id, type, key)
);
CREATE TABLE user_notifications (
  user_id uuid PRIMARY KEY REFERENCES users,
  tenant_id uuid NOT NULL REFERENCES tenants,
  account_email boolean NOT NULL,
  quiet_start text,
  quiet_end text,
  quiet_zone text,
  only_on_shift boolean NOT NULL,
  critical_too boolean NOT NULL,
  CHECK ((quiet_start IS NULL) = (quiet_end IS NULL) AND (quiet_start IS NULL) = (quiet_zone IS NULL))
);

-- An address is named by a group or by a user.
ALTER TABLE channel_addresses ALTER COLUMN group_id DROP NOT NULL, ADD COLUMN user_id uuid REFERENCES users,
  ADD CONSTRAINT channel_addresses_named CHECK ((group_id IS NULL) <> (user_id IS NULL));
CREATE INDEX channel_addresses_users ON channel_addresses (user_id, named_at) WHERE user_id IS NOT NULL;

-- "deferred_until": when the quiet choice ends; "release_at": when the message is to be considered again. "deferred_step": after how many minutes
-- the step of escalation was due.
ALTER TABLE deliveries DROP CONSTRAINT deliveries_state_check, DROP CONSTRAINT deliveries_check2,
  ADD COLUMN deferred_by text CHECK (deferred_by IN ('quiet_hours', 'off_shift')),
  ADD COLUMN deferred_until timestamptz, ADD COLUMN release_at timestamptz, ADD COLUMN deferred_step integer,
  ADD CONSTRAINT deliveries_state_check CHECK (state IN ('pending', 'sent', 'failed', 'digested', 'deferred')),
  ADD CONSTRAINT deliveries_deferred_check CHECK ((state = 'deferred') = (deferred_by IS NOT NULL)),
  ADD CONSTRAINT deliveries_signed_check CHECK (channel = 'email' OR group_id IS NOT NULL OR user_id IS NOT NULL);
CREATE INDEX deliveries_released ON deliveries (release_at) WHERE release_at IS NOT NULL;
CREATE INDEX deliveries_user_tests ON deliveries (user_id, id) WHERE type = 'user.test';

-- A step is "deferred" when quiet choices hold it back for all its recipients: one state more than those that the constraint has.
DO $$ BEGIN
  EXECUTE 'ALTER TABLE pages DROP CONSTRAINT pages_state_check, ADD CONSTRAINT pages_state_check ' || (
    SELECT replace(pg_get_constraintdef(oid), '''late''::text', '''late''::text, ''deferred''::text')
      FROM pg_constraint WHERE conname = 'pages_state_check' AND conrelid = 'pages'::regclass);
END $$;
`;
