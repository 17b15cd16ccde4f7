/** Notifications: the inbox of events, pages, addresses and choices of users, webhooks. */
export const notificationsTables = `
-- Events that cause notifications. The transaction of the event inserts the row, and the transaction that acts on it
-- deletes it: no page is lost, and none waits for unrelated transactions.
CREATE TABLE notification_inbox (
  seq bigint PRIMARY KEY,
  tenant_id uuid NOT NULL,
  at timestamptz NOT NULL,
  changed_table text NOT NULL,
  operation text NOT NULL,
  changed_row jsonb NOT NULL
);
CREATE INDEX notification_inbox_queued ON notification_inbox (tenant_id, seq);

-- A step of a group's escalation for an anomaly. States: "due", not sent yet; "paged", a user or channel is told;
-- "nobody", there was nobody to tell, or every attempt has failed so far; "deferred", quiet choices defer it for all
-- recipients; "stopped", the anomaly was acknowledged or resolved first; "late", it was due more than a day ago.
CREATE TABLE pages (
  tenant_id uuid NOT NULL,
  anomaly_id uuid NOT NULL,
  group_id uuid NOT NULL,
  after_minutes integer NOT NULL,
  notify text NOT NULL CHECK (notify IN ('shift', 'members', 'channels')),
  due_at timestamptz NOT NULL,
  state text NOT NULL DEFAULT 'due' CHECK (state IN ('due', 'paged', 'nobody', 'stopped', 'late', 'deferred')),
  critical boolean NOT NULL DEFAULT false,
  -- Why the step was put off until "due_at".
  held_by text CHECK (held_by IN ('window', 'snooze', 'mute', 'flapping', 'cause', 'outage', 'dependency')),
  -- How often the step was made due again after it had been paged: once per snooze.
  round integer NOT NULL DEFAULT 0,
  PRIMARY KEY (anomaly_id, group_id, after_minutes),
  FOREIGN KEY (tenant_id, anomaly_id) REFERENCES anomalies (tenant_id, id),
  FOREIGN KEY (tenant_id, group_id) REFERENCES groups (tenant_id, id) ON DELETE CASCADE
);
CREATE INDEX pages_by_age ON pages (due_at);
CREATE INDEX pages_due ON pages (due_at) WHERE state = 'due';
CREATE INDEX pages_group ON pages (tenant_id, group_id);
CREATE INDEX pages_held ON pages (tenant_id) WHERE state = 'due' AND held_by IS NOT NULL;
CREATE INDEX pages_to_nobody ON pages (tenant_id, anomaly_id) WHERE state = 'nobody';
CREATE INDEX pages_queued ON pages (tenant_id, critical, due_at) WHERE state = 'due';

-- An e-mail address or webhook of a tenant that must be confirmed before it is used; one row however many groups name
-- it. "key" is its hash (channel_address_key). "request_at": when a link is to be sent, of which only the hash is
-- stored.
CREATE TABLE channel_addresses (
  tenant_id uuid NOT NULL REFERENCES tenants,
  type text NOT NULL CHECK (type IN ('email', 'webhook', 'integration')),
  key bytea NOT NULL,
  address text NOT NULL,
  group_id uuid,
  named_at timestamptz NOT NULL,
  request_at timestamptz,
  token_sha256 bytea UNIQUE,
  token_expires_at timestamptz,
  requested_at timestamptz,
  requests integer NOT NULL DEFAULT 0,
  requests_since timestamptz,
  confirmed_at timestamptz,
  confirmed_by text CHECK (confirmed_by IN ('link', 'answer', 'user')),
  -- Since when every attempt to send there has failed, and the last error.
  failing_since timestamptz,
  last_error text,
  -- Either a group or a user names the address.
  user_id uuid REFERENCES users,
  -- When the address of a webhook that no group names any more is deleted. Until then its confirmation holds.
  forget_at timestamptz,
  PRIMARY KEY (tenant_id, type, key),
  CHECK ((confirmed_at IS NULL) = (confirmed_by IS NULL)),
  CHECK (confirmed_at IS NULL OR request_at IS NULL),
  CHECK ((failing_since IS NULL) = (last_error IS NULL)),
  CONSTRAINT channel_addresses_named CHECK ((group_id IS NULL) <> (user_id IS NULL))
);
CREATE INDEX channel_addresses_due ON channel_addresses (request_at) WHERE request_at IS NOT NULL;
CREATE INDEX channel_addresses_forgotten ON channel_addresses (forget_at) WHERE forget_at IS NOT NULL;
CREATE INDEX channel_addresses_requested ON channel_addresses (tenant_id, requested_at);
CREATE INDEX channel_addresses_users ON channel_addresses (user_id, named_at) WHERE user_id IS NOT NULL;

-- The addresses that users have chosen for themselves. "key" is the key in channel_addresses.
CREATE TABLE user_channels (
  id uuid PRIMARY KEY,
  tenant_id uuid NOT NULL REFERENCES tenants,
  user_id uuid NOT NULL REFERENCES users,
  type text NOT NULL CHECK (type IN ('email', 'webhook', 'integration')),
  target text NOT NULL,
  key bytea NOT NULL,
  created_at timestamptz NOT NULL,
  -- When the receiver answered 410. It must confirm the address again before it is used.
  disabled_at timestamptz,
  UNIQUE (user_id, type, key),
  CHECK (disabled_at IS NULL OR type = 'webhook')
);

-- The notification settings of a user.
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

-- Notices that the admins have had of a certificate.
CREATE TABLE certificate_notices (
  certificate_id uuid NOT NULL REFERENCES certificates ON DELETE CASCADE,
  kind text NOT NULL,
  at timestamptz NOT NULL,
  PRIMARY KEY (certificate_id, kind)
);

-- A webhook that a group names; a trigger of groups keeps the rows. Its secret is derived from group, address and
-- "secret_seed". Until "former_until" messages are also signed with the secret of "former_seed".
CREATE TABLE webhooks (
  tenant_id uuid NOT NULL REFERENCES tenants,
  group_id uuid NOT NULL REFERENCES groups ON DELETE CASCADE,
  key bytea NOT NULL,
  target text NOT NULL,
  created_at timestamptz NOT NULL,
  secret_seed uuid NOT NULL,
  former_seed uuid,
  former_until timestamptz,
  tested_at timestamptz,
  PRIMARY KEY (group_id, key),
  CHECK (former_seed IS NULL OR former_until IS NOT NULL)
);
CREATE INDEX webhooks_listed ON webhooks (tenant_id, created_at, group_id, key);
CREATE INDEX webhooks_of_address ON webhooks (tenant_id, key);

-- A chat or paging service to which groups send: its type, its settings, and those that are secret, sealed under
-- the master key. A group names it as a channel by its id.
CREATE TABLE integrations (
  id uuid PRIMARY KEY,
  tenant_id uuid NOT NULL REFERENCES tenants,
  type text NOT NULL CHECK (type IN ('slack', 'teams', 'google_chat', 'discord', 'mattermost', 'pagerduty',
                                     'alertmanager', 'ntfy', 'telegram', 'http', 'web_push')),
  name text NOT NULL,
  settings jsonb NOT NULL,
  sealed bytea NOT NULL,
  created_at timestamptz NOT NULL,
  -- The user whose browser it is.
  user_id uuid REFERENCES users,
  CHECK ((type = 'web_push') = (user_id IS NOT NULL))
);
CREATE INDEX integrations_listed ON integrations (tenant_id, id);
CREATE INDEX integrations_of_user ON integrations (user_id) WHERE user_id IS NOT NULL;

-- The key pair with which this installation identifies itself to push services, sealed under the master key.
CREATE TABLE push_keys (
  one boolean PRIMARY KEY DEFAULT true CHECK (one),
  public_key bytea NOT NULL,
  sealed bytea NOT NULL,
  created_at timestamptz NOT NULL
);

-- Webhooks that answered 410: nothing is sent to them until they are enabled again. By hash, because addresses are
-- long.
CREATE TABLE disabled_webhooks (
  tenant_id uuid NOT NULL REFERENCES tenants,
  target_sha256 bytea NOT NULL,
  target text NOT NULL,
  disabled_at timestamptz NOT NULL,
  PRIMARY KEY (tenant_id, target_sha256)
);

-- Planned work on devices, during which their pages are held back: once, or in each occurrence of "recurrence" (the
-- times of a shift). "skipped_until" ends an occurrence early, "extended_until" prolongs the one of
-- "extended_from".
CREATE TABLE maintenance_windows (
  id uuid PRIMARY KEY,
  tenant_id uuid NOT NULL REFERENCES tenants,
  name text NOT NULL,
  covers text NOT NULL CHECK (covers IN ('all', 'group', 'deviceType', 'devices')),
  group_id uuid,
  device_type_id uuid,
  starts_at timestamptz,
  ends_at timestamptz,
  recurrence jsonb,
  skipped_until timestamptz,
  extended_from timestamptz,
  extended_until timestamptz,
  holds_critical boolean NOT NULL,
  created_at timestamptz NOT NULL,
  created_by text NOT NULL,
  updated_at timestamptz NOT NULL,
  UNIQUE (tenant_id, id),
  FOREIGN KEY (tenant_id, group_id) REFERENCES groups (tenant_id, id) ON DELETE CASCADE,
  FOREIGN KEY (tenant_id, device_type_id) REFERENCES device_types (tenant_id, id) ON DELETE CASCADE,
  CHECK ((covers = 'group') = (group_id IS NOT NULL)),
  CHECK ((covers = 'deviceType') = (device_type_id IS NOT NULL)),
  CHECK ((starts_at IS NULL) = (recurrence IS NOT NULL) AND (ends_at IS NULL) = (recurrence IS NOT NULL)),
  CHECK (starts_at <= ends_at),
  CHECK ((extended_from IS NULL) = (extended_until IS NULL))
);
CREATE INDEX maintenance_windows_ended ON maintenance_windows (ends_at) WHERE ends_at IS NOT NULL;
CREATE INDEX maintenance_windows_group ON maintenance_windows (tenant_id, group_id) WHERE group_id IS NOT NULL;
CREATE INDEX maintenance_windows_type ON maintenance_windows (tenant_id, device_type_id) WHERE device_type_id IS NOT NULL;

CREATE TABLE maintenance_window_devices (
  tenant_id uuid NOT NULL,
  window_id uuid NOT NULL,
  device_uid uuid NOT NULL REFERENCES devices,
  PRIMARY KEY (window_id, device_uid),
  FOREIGN KEY (tenant_id, window_id) REFERENCES maintenance_windows (tenant_id, id) ON DELETE CASCADE
);
CREATE INDEX maintenance_window_devices_device ON maintenance_window_devices (device_uid);

-- An anomaly that a user set aside until a time.
CREATE TABLE anomaly_snoozes (
  anomaly_id uuid PRIMARY KEY,
  tenant_id uuid NOT NULL,
  until timestamptz NOT NULL,
  created_by text NOT NULL,
  FOREIGN KEY (tenant_id, anomaly_id) REFERENCES anomalies (tenant_id, id)
);
CREATE INDEX anomaly_snoozes_ended ON anomaly_snoozes (until);

-- A rule that does not page about a device until a time; NULL is its silence.
CREATE TABLE rule_mutes (
  tenant_id uuid NOT NULL,
  device_uid uuid NOT NULL,
  rule_id uuid,
  until timestamptz NOT NULL,
  created_by text NOT NULL,
  UNIQUE NULLS NOT DISTINCT (device_uid, rule_id),
  FOREIGN KEY (tenant_id, device_uid) REFERENCES devices (tenant_id, uid)
);
CREATE INDEX rule_mutes_ended ON rule_mutes (until);

-- What many silent devices share: of "silent" ones, "explained" have the value, as have "sharing" of all devices.
CREATE TABLE outages (
  id uuid PRIMARY KEY,
  tenant_id uuid NOT NULL REFERENCES tenants,
  kind text NOT NULL CHECK (kind IN ('all', 'address', 'block', 'node', 'batch', 'version', 'type', 'group')),
  value text NOT NULL,
  silent integer NOT NULL,
  explained integer NOT NULL,
  sharing integer NOT NULL,
  since timestamptz NOT NULL,
  UNIQUE (tenant_id, id)
);
CREATE INDEX outages_recent ON outages (tenant_id, since);
CREATE INDEX outages_by_age ON outages (since);

-- The anomalies of its silent devices. Per group one of them pages for all.
CREATE TABLE outage_anomalies (
  anomaly_id uuid PRIMARY KEY,
  tenant_id uuid NOT NULL,
  outage_id uuid NOT NULL,
  FOREIGN KEY (tenant_id, anomaly_id) REFERENCES anomalies (tenant_id, id),
  FOREIGN KEY (tenant_id, outage_id) REFERENCES outages (tenant_id, id) ON DELETE CASCADE
);
CREATE INDEX outage_anomalies_outage ON outage_anomalies (outage_id);
`;
