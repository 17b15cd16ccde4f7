/** Sign-in: sessions, the throttle for failed attempts, one-time links and second factors. */
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
  -- The factor that was given in this session. If the user no longer has it, the session lacks a factor.
  factor_id uuid,
  -- Devices that the session has sent commands to since its last step-up.
  commanded_devices text[] NOT NULL DEFAULT '{}',
  -- The provider that began the session, and its id of the session there; null after a sign-in with credentials.
  oidc_issuer text,
  oidc_sid text
);
CREATE INDEX user_sessions_expiring ON user_sessions (expires_at);
CREATE INDEX user_sessions_user ON user_sessions (user_id, id);
CREATE INDEX user_sessions_at_provider ON user_sessions (oidc_issuer, oidc_sid) WHERE oidc_sid IS NOT NULL;

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

-- The public key of a user's authenticator (WebAuthn). "public_key": COSE (RFC 9052). "sign_count": the newest
-- signature counter that the authenticator sent, or 0 if it has none.
CREATE TABLE passkeys (
  id uuid PRIMARY KEY,
  user_id uuid NOT NULL REFERENCES users,
  name text NOT NULL,
  credential_id bytea NOT NULL UNIQUE,
  public_key bytea NOT NULL,
  sign_count bigint NOT NULL,
  transports text[] NOT NULL,
  created_at timestamptz NOT NULL,
  last_used_at timestamptz
);
CREATE INDEX passkeys_user ON passkeys (user_id, id);

-- The hashes of challenges that a passkey signed successfully: each counts once.
CREATE TABLE used_challenges (
  sha256 bytea PRIMARY KEY,
  expires_at timestamptz NOT NULL
);
CREATE INDEX used_challenges_expiring ON used_challenges (expires_at);

-- Codes that replace any second factor of the user, as long as there is one. A used code is deleted. Only hashes are
-- stored.
CREATE TABLE recovery_codes (
  user_id uuid NOT NULL REFERENCES users,
  code_sha256 bytea NOT NULL,
  PRIMARY KEY (user_id, code_sha256)
);

-- The OpenID Connect provider of a tenant. "client_secret" is encrypted under the master key.
CREATE TABLE oidc_providers (
  tenant_id uuid PRIMARY KEY REFERENCES tenants,
  -- Changes with issuer, client, secret and scopes, so that answers to requests of a former connection are refused.
  connection_id uuid NOT NULL UNIQUE,
  issuer text NOT NULL,
  client_id text NOT NULL,
  client_secret bytea NOT NULL,
  scopes text[] NOT NULL,
  -- When a sign-in over this connection succeeded as a test.
  tested_at timestamptz,
  enabled boolean NOT NULL DEFAULT false,
  -- A user who runs the installation saved the settings last; only then may such users sign in over the provider.
  by_operator boolean NOT NULL,
  -- What happens to a person without an account.
  first_sign_in text NOT NULL CHECK (first_sign_in IN ('refused', 'invited', 'mapped')),
  -- Whether users may sign in with credentials of Muster: all, none, or the admins in "break_glass" with a factor.
  rule text NOT NULL CHECK (rule IN ('password', 'required', 'break_glass')),
  break_glass uuid[] NOT NULL,
  -- The claim whose values give roles and groups: [{"value", "role", "groupIds"}].
  mapping_claim text,
  mapping jsonb NOT NULL CHECK (jsonb_typeof(mapping) = 'array'),
  CHECK (NOT enabled OR tested_at IS NOT NULL)
);

-- The account of a person at the provider, by issuer and subject. A user has at most one.
CREATE TABLE oidc_identities (
  user_id uuid PRIMARY KEY REFERENCES users,
  tenant_id uuid NOT NULL REFERENCES tenants,
  issuer text NOT NULL,
  subject text NOT NULL,
  created_at timestamptz NOT NULL,
  UNIQUE (tenant_id, issuer, subject)
);

-- The hashes of the states of sign-ins whose answer was brought: each counts once.
CREATE TABLE used_oidc_answers (
  sha256 bytea PRIMARY KEY,
  expires_at timestamptz NOT NULL
);
CREATE INDEX used_oidc_answers_expiring ON used_oidc_answers (expires_at);
`;
