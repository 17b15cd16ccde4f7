/** The identity of devices: claims, certificates, and known facts about their keys. */
export const certificatesTables = `
-- A pending claim keeps its device type from being deleted; other claims lose their reference to it.
CREATE TABLE claims (
  id uuid PRIMARY KEY,
  tenant_id uuid NOT NULL REFERENCES tenants,
  code_hmac bytea NOT NULL UNIQUE,
  code_hint text NOT NULL,
  intended_name text NOT NULL,
  intended_group_ids uuid[],
  intended_device_type_id uuid,
  -- The one device that may enroll with it, again and without proof of its identity.
  device_uid uuid,
  status text NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'used', 'revoked')),
  max_uses integer NOT NULL CHECK (max_uses BETWEEN 1 AND 100),
  used_count integer NOT NULL DEFAULT 0,
  expires_at timestamptz NOT NULL,
  created_at timestamptz NOT NULL,
  created_by text NOT NULL,
  revoked_at timestamptz,
  revoked_by text,
  last_redeemed_at timestamptz,
  CHECK (used_count BETWEEN 0 AND max_uses),
  CHECK ((status = 'used') = (used_count = max_uses) OR status = 'revoked'),
  FOREIGN KEY (tenant_id, intended_device_type_id) REFERENCES device_types (tenant_id, id)
    ON DELETE SET NULL (intended_device_type_id),
  FOREIGN KEY (tenant_id, device_uid) REFERENCES devices (tenant_id, uid),
  CHECK (device_uid IS NULL OR max_uses = 1)
);
CREATE INDEX claims_device_type ON claims (tenant_id, intended_device_type_id)
  WHERE intended_device_type_id IS NOT NULL;
CREATE INDEX claims_listed ON claims (tenant_id, id);
CREATE INDEX claims_listed_by_status ON claims (tenant_id, status, id);
CREATE INDEX claims_of_device ON claims (device_uid) WHERE device_uid IS NOT NULL;
CREATE INDEX claims_open ON claims (tenant_id, expires_at) WHERE status = 'pending';

-- The last number given to a device by each name template that has {n}; all claims of a tenant with one template share
-- it.
CREATE TABLE device_name_numbers (
  tenant_id uuid NOT NULL REFERENCES tenants,
  template text NOT NULL,
  last bigint NOT NULL,
  PRIMARY KEY (tenant_id, template)
);

-- Wrong claim codes, per address, for the throttle.
CREATE TABLE claim_guesses (
  address text NOT NULL,
  at timestamptz NOT NULL
);
CREATE INDEX claim_guesses_address ON claim_guesses (address, at);
CREATE INDEX claim_guesses_at ON claim_guesses (at);

-- Every certificate that was issued. A certificate that is not in this table is never accepted.
CREATE TABLE certificates (
  id uuid PRIMARY KEY,
  tenant_id uuid NOT NULL REFERENCES tenants,
  device_uid uuid NOT NULL REFERENCES devices,
  device_id text NOT NULL,
  kind text NOT NULL CHECK (kind IN ('self_enrolled', 'platform')),
  serial_number text NOT NULL UNIQUE,
  fingerprint_sha256 text NOT NULL UNIQUE,
  spki_sha256 bytea NOT NULL,
  der bytea NOT NULL,
  subject text NOT NULL,
  publish_topics text[] NOT NULL,
  subscribe_topics text[] NOT NULL,
  issued_at timestamptz NOT NULL,
  not_before timestamptz NOT NULL,
  not_after timestamptz NOT NULL,
  renew_after timestamptz,
  issued_by text NOT NULL,
  claim_id uuid REFERENCES claims,
  revoked_at timestamptz,
  revoked_by text,
  revocation_reason text CHECK (revocation_reason IN ('superseded', 'requested', 'device_deleted')),
  superseded_by_id uuid REFERENCES certificates DEFERRABLE INITIALLY DEFERRED,
  last_connected_at timestamptz,
  CHECK ((revoked_at IS NULL) = (revocation_reason IS NULL)),
  CHECK ((superseded_by_id IS NULL) = (revocation_reason IS DISTINCT FROM 'superseded'))
) WITH (fillfactor=80);
CREATE INDEX certificates_bundles_ending ON certificates (not_after) WHERE revoked_at IS NULL AND kind = 'platform';
CREATE INDEX certificates_by_expiry ON certificates (tenant_id, not_after, id) WHERE revoked_at IS NULL;
CREATE INDEX certificates_claim ON certificates (claim_id) WHERE claim_id IS NOT NULL;
CREATE INDEX certificates_device ON certificates (device_uid, issued_at DESC, id DESC);
CREATE INDEX certificates_listed ON certificates (tenant_id, id);
CREATE INDEX certificates_listed_active ON certificates (tenant_id, id) WHERE revoked_at IS NULL;
CREATE INDEX certificates_listed_by_device ON certificates (tenant_id, device_id, id);
CREATE INDEX certificates_listed_platform ON certificates (tenant_id, id) WHERE kind = 'platform';
CREATE INDEX certificates_listed_revoked ON certificates (tenant_id, id) WHERE revoked_at IS NOT NULL;
CREATE INDEX certificates_live ON certificates (device_uid, not_after) WHERE revoked_at IS NULL;
CREATE INDEX certificates_platform_by_expiry ON certificates (tenant_id, not_after, id)
  WHERE kind = 'platform' AND revoked_at IS NULL;
CREATE INDEX certificates_publish_nowhere ON certificates (tenant_id, id)
  WHERE revoked_at IS NULL AND publish_topics = '{}';
-- Self-enrolled certificates, in the order in which their renewals are due.
CREATE INDEX certificates_renewal_due ON certificates (renew_after)
  WHERE revoked_at IS NULL AND kind = 'self_enrolled';
CREATE INDEX certificates_spki ON certificates (spki_sha256) WHERE revoked_at IS NULL;
CREATE UNIQUE INDEX certificates_superseded_by ON certificates (superseded_by_id) WHERE superseded_by_id IS NOT NULL;

-- Findings. When two devices have valid certificates of the same key, one is recorded on each.
CREATE TABLE device_findings (
  id uuid PRIMARY KEY,
  tenant_id uuid NOT NULL REFERENCES tenants,
  device_uid uuid NOT NULL REFERENCES devices,
  kind text NOT NULL CHECK (kind = 'shared_key'),
  certificate_id uuid REFERENCES certificates,
  at timestamptz NOT NULL
);
CREATE INDEX device_findings_device ON device_findings (device_uid, at DESC);
CREATE INDEX device_findings_tenant ON device_findings (tenant_id);

-- Compromised keys: no certificate is recorded for one.
CREATE TABLE blocked_keys (
  spki_sha256 bytea PRIMARY KEY,
  reason text NOT NULL,
  blocked_at timestamptz NOT NULL
);
`;
