/** Sign-in: its throttle, passwords that must be changed, and links that are used once. */
export const people = `
-- Cookies of known browsers are signed with a key of their own.
ALTER TABLE retired_keys DROP CONSTRAINT retired_keys_purpose_check;
ALTER TABLE retired_keys ADD CONSTRAINT retired_keys_purpose_check
  CHECK (purpose IN ('claim-code', 'webhook-secrets', 'known-browsers'));

-- Until now every password was drawn by the service.
ALTER TABLE users ADD COLUMN password_drawn boolean NOT NULL DEFAULT true;

CREATE OR REPLACE VIEW shared_users AS
  SELECT id, tenant_id, email, role, status, deleted_at, platform, password_drawn, created_at FROM users;

-- A subject is the hash of what is counted: an account at unknown browsers, a known browser, an address, …
-- "account": the hash of the account concerned, so that a reset or an administrator can lift its counts.
CREATE TABLE sign_in_failures (
  subject bytea PRIMARY KEY,
  account bytea,
  failures integer NOT NULL,
  until timestamptz NOT NULL
);
CREATE INDEX sign_in_failures_account ON sign_in_failures (account) WHERE account IS NOT NULL;
CREATE INDEX sign_in_failures_until ON sign_in_failures (until);

-- A link that was used is deleted. Of its token only the hash is stored.
CREATE TABLE one_time_links (
  id uuid PRIMARY KEY,
  purpose text NOT NULL CHECK (purpose IN ('setup', 'invite', 'reset')),
  token_sha256 bytea NOT NULL UNIQUE,
  tenant_id uuid REFERENCES tenants,
  user_id uuid REFERENCES users,
  email text,
  role text CHECK (role IN ('admin', 'operator', 'viewer')),
  created_by text NOT NULL,
  created_at timestamptz NOT NULL,
  expires_at timestamptz NOT NULL,
  CHECK (purpose <> 'invite' OR (tenant_id IS NOT NULL AND email IS NOT NULL AND role IS NOT NULL)),
  CHECK ((purpose = 'reset') = (user_id IS NOT NULL))
);
CREATE UNIQUE INDEX one_time_links_invites ON one_time_links (tenant_id, lower(email)) WHERE purpose = 'invite';
CREATE UNIQUE INDEX one_time_links_resets ON one_time_links (user_id) WHERE purpose = 'reset';
CREATE INDEX one_time_links_expiring ON one_time_links (expires_at);
`;
