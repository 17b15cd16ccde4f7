/** Certificate authorities, settings of the installation, and keys derived from a former master key. */
export const authoritiesTables = `
CREATE TABLE settings (
  key text PRIMARY KEY,
  value text NOT NULL
);

-- Certificate authorities and server certificates. Private keys are PKCS#8, encrypted under the master key. A retired
-- authority has no key: it can never sign again, whatever happens to this database.
CREATE TABLE authorities (
  id uuid PRIMARY KEY,
  role text NOT NULL
    CHECK (role IN ('device_root', 'device_intermediate', 'server_root', 'broker_server', 'https_server')),
  name text NOT NULL,
  status text NOT NULL CHECK (status IN ('upcoming', 'active', 'retiring', 'retired')),
  issuer_id uuid REFERENCES authorities,
  certificate_der bytea NOT NULL,
  private_key_pem text,
  fingerprint_sha256 text NOT NULL UNIQUE,
  not_before timestamptz NOT NULL,
  not_after timestamptz NOT NULL,
  created_at timestamptz NOT NULL,
  -- When an upcoming authority takes over.
  take_over_at timestamptz,
  activated_at timestamptz,
  -- Since then it issues nothing; what it issued is still valid.
  retiring_at timestamptz,
  retired_at timestamptz,
  CHECK (status <> 'retired' OR private_key_pem IS NULL)
);
CREATE UNIQUE INDEX authorities_active ON authorities (role) WHERE status = 'active';

-- Keys derived from a former master key that are still needed after a rotation: pending claims are looked up by an HMAC
-- under one, receivers of webhooks verify signatures under another, and the cookies of known browsers are signed with a
-- third. They are sealed under the present master key.
CREATE TABLE retired_keys (
  id uuid PRIMARY KEY,
  purpose text NOT NULL CHECK (purpose IN ('claim-code', 'webhook-secrets', 'known-browsers', 'oidc-flows',
    'passkey-challenges')),
  sealed bytea NOT NULL,
  retired_at timestamptz NOT NULL,
  needed_until timestamptz NOT NULL
);
`;
