/** How users sign in: sessions, the throttle for failed attempts, one-time links and second factors. */
export const identityTables = `
-- A signed-in user of the admin app. Only the hash of the session's token is stored. "verified_at": when the user last
-- gave the password and the second factor.
CREATE TABLE user_sessions (
  id uuid PRIMARY KEY,
  user_id uuid NOT NULL REFERENCES users,
  token_sha256 bytea NOT NULL UNIQUE,
  created_at timestamptz NOT NULL,
  last_used_at timestamptz NOT NULL,
  expires_at timestamptz NOT NULL,
  verified_at timestamptz NOT NULL,
  address text NOT NULL,
  user_agent text NOT NULL,
  -- The factor that was given in this session. If the user has a different one by now, the session lacks a factor.
  factor_id uuid,
  -- Devices that the session has sent commands to since its last step-up.
  commanded_devices text[] NOT NULL DEFAULT '{}'
);
CREATE INDEX user_sessions_expiring ON user_sessions (expires_at);
CREATE INDEX user_sessions_user ON user_sessions (user_id, id);

-- Failed sign-ins per subject. A subject is a hash: of an account at unknown browsers, of a known browser, of an
-- address. "account" is the hash of the account concerned, so that a password reset or an administrator can clear its
-- counts.
CREATE TABLE sign_in_failures (
  subject bytea PRIMARY KEY,
  account bytea,
  failures integer NOT NULL,
  until timestamptz NOT NULL
);
CREATE INDEX sign_in_failures_account ON sign_in_failures (account) WHERE account IS NOT NULL;
CREATE INDEX sign_in_failures_until ON sign_in_failures (until);

-- Failed sign-ins since their entry in the audit, counted until "until" per account, address block and cause. Without
-- tenant and user: of addresses that no account has. Without user alone: those beyond the limit of a tenant.
CREATE TABLE sign_in_repeats (
  tenant_id uuid REFERENCES tenants,
  user_id uuid REFERENCES users,
  email text,
  address_block text NOT NULL,
  cause text NOT NULL,
  times integer NOT NULL,
  first_at timestamptz NOT NULL,
  last_at timestamptz NOT NULL,
  until timestamptz NOT NULL
);
CREATE UNIQUE INDEX sign_in_repeats_same ON sign_in_repeats (tenant_id, user_id, address_block, cause) NULLS NOT DISTINCT;
CREATE INDEX sign_in_repeats_until ON sign_in_repeats (until);

-- Set-up, invitation and password-reset links. A used link is deleted. Only the hash of its token is stored.
CREATE TABLE one_time_links (
  id uuid PRIMARY KEY,
  purpose text NOT NULL CHECK (purpose IN ('setup', 'invite', 'reset')),
  token_sha256 bytea NOT NULL UNIQUE,
  tenant_id uuid REFERENCES tenants,
  user_id uuid REFERENCES users,
  email text,
  role text CHECK (role IN ('admin', 'operator', 'viewer')),
  -- The groups that an invited user joins; those that no longer exist at the acceptance are left out.
  group_ids uuid[] NOT NULL DEFAULT '{}',
  created_by text NOT NULL,
  created_at timestamptz NOT NULL,
  expires_at timestamptz NOT NULL,
  CHECK (purpose <> 'invite' OR (tenant_id IS NOT NULL AND email IS NOT NULL AND role IS NOT NULL)),
  CHECK ((purpose = 'reset') = (user_id IS NOT NULL))
);
CREATE INDEX one_time_links_expiring ON one_time_links (expires_at);
CREATE UNIQUE INDEX one_time_links_invites ON one_time_links (tenant_id, lower(email)) WHERE purpose = 'invite';
CREATE UNIQUE INDEX one_time_links_resets ON one_time_links (user_id) WHERE purpose = 'reset';

-- "secret" is encrypted under the master key. A factor is active once its user has entered a code of it
-- ("confirmed_at"). "last_step": the newest time step (RFC 6238) whose code was accepted; a code of this or a previous
-- step is refused.
CREATE TABLE user_factors (
  id uuid PRIMARY KEY,
  user_id uuid NOT NULL REFERENCES users,
  secret bytea NOT NULL,
  created_at timestamptz NOT NULL,
  confirmed_at timestamptz,
  last_step integer NOT NULL DEFAULT 0
);
CREATE UNIQUE INDEX user_factors_begun ON user_factors (user_id) WHERE confirmed_at IS NULL;
CREATE UNIQUE INDEX user_factors_confirmed ON user_factors (user_id) WHERE confirmed_at IS NOT NULL;
CREATE INDEX user_factors_unconfirmed ON user_factors (created_at) WHERE confirmed_at IS NULL;

-- A used code is deleted. Only hashes are stored.
CREATE TABLE recovery_codes (
  factor_id uuid NOT NULL REFERENCES user_factors ON DELETE CASCADE,
  code_sha256 bytea NOT NULL,
  PRIMARY KEY (factor_id, code_sha256)
);
`;
