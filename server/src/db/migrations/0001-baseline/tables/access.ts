/** Tenants, users, API keys with their request windows, quotas and saved filters. */
export const accessTables = `
CREATE TABLE tenants (
  id uuid PRIMARY KEY,
  slug text NOT NULL UNIQUE CHECK (slug ~ '^[a-z0-9-]{1,40}$'),
  name text NOT NULL,
  created_at timestamptz NOT NULL,
  -- A retention class: telemetry is partitioned by it.
  telemetry_retention_days smallint NOT NULL DEFAULT 90
    CHECK (telemetry_retention_days IN (7, 30, 90, 180, 365, 730)),
  -- Admins must set up a second factor.
  admins_need_factor boolean NOT NULL DEFAULT false,
  -- Who is told by e-mail of a page that reached nobody.
  last_resort text NOT NULL DEFAULT 'admins' CHECK (last_resort IN ('admins', 'none')),
  -- The openings of one rule on one device within an hour beyond which it pages once, as flapping; 0 for never.
  flaps_above integer NOT NULL DEFAULT 10 CHECK (flaps_above BETWEEN 0 AND 60),
  -- How long the page of a silent device waits for others that share its cause; 0 for not at all.
  cause_wait_minutes integer NOT NULL DEFAULT 2 CHECK (cause_wait_minutes BETWEEN 0 AND 10)
);

-- The domains of e-mail addresses whose owners sign in at the tenant's identity provider.
CREATE TABLE tenant_domains (
  domain text PRIMARY KEY CHECK (domain = lower(domain)),
  tenant_id uuid NOT NULL REFERENCES tenants,
  created_at timestamptz NOT NULL
);
CREATE INDEX tenant_domains_tenant ON tenant_domains (tenant_id, domain);

CREATE TABLE users (
  id uuid PRIMARY KEY,
  tenant_id uuid NOT NULL REFERENCES tenants,
  -- A service account cannot sign in: it has no address, but a person to contact and an end.
  kind text NOT NULL DEFAULT 'person' CHECK (kind IN ('person', 'service')),
  email text,
  role text NOT NULL CHECK (role IN ('admin', 'operator', 'viewer')),
  password_hash text NOT NULL,
  status text NOT NULL DEFAULT 'active' CHECK (status IN ('active', 'deactivated')),
  created_at timestamptz NOT NULL,
  deleted_at timestamptz,
  -- The user may create tenants and administer the certificate authorities.
  platform boolean NOT NULL DEFAULT false,
  -- The service generated the password: the user must choose another one.
  password_drawn boolean NOT NULL DEFAULT true,
  name text,
  -- How the admin app shows itself; null: as the browser does.
  language text CHECK (language IN ('en', 'de')),
  time_zone text,
  clock text CHECK (clock IN ('12', '24')),
  theme text CHECK (theme IN ('light', 'dark')),
  contact_id uuid REFERENCES users,
  ends_at timestamptz,
  -- The networks from which the keys of a service account are admitted; empty for any.
  address_ranges text[] NOT NULL DEFAULT '{}',
  CONSTRAINT users_tenant_id UNIQUE (tenant_id, id),
  CONSTRAINT users_kind CHECK (CASE kind
    WHEN 'person' THEN email IS NOT NULL AND contact_id IS NULL AND ends_at IS NULL AND address_ranges = '{}'
    ELSE email IS NULL AND name IS NOT NULL AND contact_id IS NOT NULL AND ends_at IS NOT NULL AND NOT platform
         AND password_hash = '' END)
);
CREATE INDEX users_counted ON users (tenant_id) WHERE deleted_at IS NULL;
CREATE UNIQUE INDEX users_email ON users (lower(email)) WHERE deleted_at IS NULL;
CREATE UNIQUE INDEX users_service_names ON users (tenant_id, lower(name)) WHERE kind = 'service' AND deleted_at IS NULL;
CREATE INDEX users_ending ON users (ends_at) WHERE kind = 'service' AND status = 'active';
-- A change of a platform user locks all platform users first.
CREATE INDEX users_platform ON users (id) WHERE platform;
CREATE INDEX users_tenant ON users (tenant_id, created_at);

CREATE TABLE api_keys (
  id text PRIMARY KEY,
  tenant_id uuid NOT NULL REFERENCES tenants,
  user_id uuid NOT NULL REFERENCES users,
  name text NOT NULL,
  secret_hash bytea NOT NULL,
  scopes text[] NOT NULL,
  created_at timestamptz NOT NULL,
  expires_at timestamptz,
  revoked_at timestamptz,
  revoked_by text,
  revocation_reason text
    CHECK (revocation_reason IN ('requested', 'creator_deactivated', 'creator_deleted', 'creator_password_reset')),
  last_used_at timestamptz,
  last_used_address text,
  -- The key that a rotation replaced by this one. It has one successor.
  replaces text CONSTRAINT api_keys_one_successor UNIQUE REFERENCES api_keys
);
CREATE INDEX api_keys_counted ON api_keys (tenant_id, expires_at) WHERE revoked_at IS NULL;
CREATE INDEX api_keys_tenant ON api_keys (tenant_id, created_at);
CREATE INDEX api_keys_user ON api_keys (user_id) WHERE revoked_at IS NULL;

-- The address blocks (an IPv4 address, an IPv6 /64) from which a key was used, or refused as outside the ranges of its
-- service account. The first time is in the audit.
CREATE TABLE api_key_blocks (
  key_id text NOT NULL REFERENCES api_keys ON DELETE CASCADE,
  block text NOT NULL,
  refused boolean NOT NULL,
  first_at timestamptz NOT NULL,
  seen_at timestamptz NOT NULL,
  PRIMARY KEY (key_id, block, refused)
);
CREATE INDEX api_key_blocks_seen ON api_key_blocks (seen_at);

-- A sliding window per API key: when its requests of the last minute were admitted, in order, on the clock of
-- request_clock. "passed" is how many requests the last statement admitted. The first request of a key creates the row,
-- which is deleted when nothing was admitted for a while. At a fillfactor of 50 an update stays in its page (HOT).
CREATE TABLE api_key_windows (
  key_id text PRIMARY KEY REFERENCES api_keys ON DELETE CASCADE,
  passed integer NOT NULL,
  times double precision[] NOT NULL
) WITH (fillfactor=50);

-- A single row: the milliseconds of a monotonic clock that all processes share, and the wall clock at that moment. Each
-- process counts on with its own steady clock; only a starting process uses the wall clock, to bridge the seconds since
-- the row was last written.
CREATE TABLE request_clock (
  one boolean PRIMARY KEY DEFAULT true CHECK (one),
  ms double precision NOT NULL,
  wall_ms double precision NOT NULL
);

-- Quotas that differ from the default.
CREATE TABLE tenant_quotas (
  tenant_id uuid NOT NULL REFERENCES tenants,
  quota text NOT NULL,
  value integer NOT NULL CHECK (value >= 0),
  PRIMARY KEY (tenant_id, quota)
);

-- A round of allowances for one quota of a tenant (functions/quotas.ts). "unallotted" is what processes may still take
-- out of it. "value" is the quota that was in force when the round was counted: a different quota needs a new round.
CREATE TABLE quota_rounds (
  tenant_id uuid NOT NULL REFERENCES tenants,
  quota text NOT NULL,
  round uuid NOT NULL,
  value integer NOT NULL,
  unallotted integer NOT NULL CHECK (unallotted >= 0),
  PRIMARY KEY (tenant_id, quota)
);

CREATE TABLE saved_filters (
  id uuid PRIMARY KEY,
  tenant_id uuid NOT NULL REFERENCES tenants,
  user_id uuid NOT NULL REFERENCES users,
  list text NOT NULL,
  name text NOT NULL,
  values jsonb NOT NULL
);
CREATE UNIQUE INDEX saved_filters_names ON saved_filters (user_id, list, lower(name));
`;
