/**
 * The foundation: who (tenants, users, keys), what (device types, devices, groups), how they enroll (claims,
 * certificates, audit), how they connect (client ids, sessions, drops, refusals) and what they said (telemetry).
 *
 * Rules the database itself decides: serials and fingerprints are unique; a claim never exceeds its uses; a hardware
 * fingerprint enrolls one device; a revoked certificate stays revoked; the audit only grows.
 */
export const foundation = `
CREATE TABLE settings (
  key text PRIMARY KEY,
  value text NOT NULL
);

CREATE TABLE tenants (
  id uuid PRIMARY KEY,
  slug text NOT NULL UNIQUE CHECK (slug ~ '^[a-z0-9-]{1,40}$'),
  name text NOT NULL,
  created_at timestamptz NOT NULL
);

CREATE TABLE users (
  id uuid PRIMARY KEY,
  tenant_id uuid NOT NULL REFERENCES tenants,
  email text NOT NULL,
  role text NOT NULL CHECK (role IN ('admin', 'operator', 'viewer')),
  password_hash text NOT NULL,
  status text NOT NULL DEFAULT 'active' CHECK (status IN ('active', 'deactivated')),
  created_at timestamptz NOT NULL,
  deleted_at timestamptz
);
CREATE UNIQUE INDEX users_email ON users (lower(email)) WHERE deleted_at IS NULL;
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
  revocation_reason text CHECK (revocation_reason IN
    ('requested', 'creator_deactivated', 'creator_deleted', 'creator_password_reset')),
  last_used_at timestamptz,
  last_used_address text
);
CREATE INDEX api_keys_user ON api_keys (user_id) WHERE revoked_at IS NULL;
CREATE INDEX api_keys_tenant ON api_keys (tenant_id, created_at);

-- The requests of each key in its last minute. Times are on a clock of the row's own, which no wall clock can turn back.
CREATE TABLE api_key_windows (
  key_id text PRIMARY KEY REFERENCES api_keys ON DELETE CASCADE,
  now_ms double precision NOT NULL,
  wall_ms double precision NOT NULL,
  passed boolean NOT NULL,
  times double precision[] NOT NULL
);

CREATE TABLE device_types (
  id uuid PRIMARY KEY,
  tenant_id uuid NOT NULL REFERENCES tenants,
  name text NOT NULL,
  publish_topics text[] NOT NULL,
  subscribe_topics text[] NOT NULL DEFAULT '{}',
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  UNIQUE (tenant_id, id)
);

CREATE TABLE groups (
  id uuid PRIMARY KEY,
  tenant_id uuid NOT NULL REFERENCES tenants,
  name text NOT NULL,
  description text NOT NULL DEFAULT '',
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  UNIQUE (tenant_id, id)
);

CREATE TABLE group_members (
  group_id uuid NOT NULL REFERENCES groups ON DELETE CASCADE,
  user_id uuid NOT NULL REFERENCES users,
  PRIMARY KEY (group_id, user_id)
);

CREATE TABLE claims (
  id uuid PRIMARY KEY,
  tenant_id uuid NOT NULL REFERENCES tenants,
  code_hmac bytea NOT NULL UNIQUE,
  code_hint text NOT NULL,
  intended_name text NOT NULL,
  intended_group_ids uuid[],
  intended_device_type_id uuid,
  status text NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'used', 'revoked')),
  max_uses integer NOT NULL CHECK (max_uses BETWEEN 1 AND 100),
  used_count integer NOT NULL DEFAULT 0 CHECK (used_count BETWEEN 0 AND max_uses),
  expires_at timestamptz NOT NULL,
  created_at timestamptz NOT NULL,
  created_by text NOT NULL,
  revoked_at timestamptz,
  revoked_by text,
  last_redeemed_at timestamptz,
  FOREIGN KEY (tenant_id, intended_device_type_id) REFERENCES device_types (tenant_id, id),
  CHECK ((status = 'used') = (used_count = max_uses) OR status = 'revoked')
);
CREATE INDEX claims_tenant ON claims (tenant_id, created_at DESC, id DESC);
CREATE INDEX claims_tenant_status ON claims (tenant_id, status, created_at DESC, id DESC);

-- "uid" names this record for good; "id" is the operator's name for the machine, free again once the record is deleted.
CREATE TABLE devices (
  uid uuid PRIMARY KEY,
  tenant_id uuid NOT NULL REFERENCES tenants,
  id text NOT NULL CHECK (id ~ '^[A-Za-z0-9_-]{1,64}$'),
  name text NOT NULL,
  description text NOT NULL DEFAULT '',
  device_type_id uuid,
  metadata jsonb NOT NULL DEFAULT '{}',
  hardware_fingerprint text,
  fingerprint_key text,
  hardware_model text,
  agent_version text,
  agent_capabilities text[] NOT NULL DEFAULT '{}',
  mac_address text,
  connectivity text NOT NULL DEFAULT 'never_seen' CHECK (connectivity IN ('never_seen', 'online', 'offline')),
  connectivity_since timestamptz,
  connectivity_reason text,
  -- The number of the session that set it (mqtt_sessions.seq): news of an older session is no news.
  connectivity_seq bigint NOT NULL DEFAULT 0,
  last_seen_at timestamptz,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  deleted_at timestamptz,
  FOREIGN KEY (tenant_id, device_type_id) REFERENCES device_types (tenant_id, id)
);
CREATE UNIQUE INDEX devices_id ON devices (tenant_id, id) WHERE deleted_at IS NULL;
-- Set only by claim redemption: "enrolled before" is this index (spec 3.1 rule 4).
CREATE UNIQUE INDEX devices_fingerprint ON devices (tenant_id, fingerprint_key)
  WHERE deleted_at IS NULL AND fingerprint_key IS NOT NULL;
CREATE INDEX devices_tenant ON devices (tenant_id, created_at DESC, uid DESC) WHERE deleted_at IS NULL;

CREATE TABLE device_groups (
  device_uid uuid NOT NULL REFERENCES devices,
  group_id uuid NOT NULL REFERENCES groups ON DELETE CASCADE,
  PRIMARY KEY (device_uid, group_id)
);
CREATE INDEX device_groups_group ON device_groups (group_id);

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
  superseded_by_id uuid UNIQUE REFERENCES certificates DEFERRABLE INITIALLY DEFERRED,
  last_connected_at timestamptz,
  CHECK ((revoked_at IS NULL) = (revocation_reason IS NULL)),
  CHECK ((superseded_by_id IS NULL) = (revocation_reason IS DISTINCT FROM 'superseded'))
);
CREATE INDEX certificates_tenant ON certificates (tenant_id, issued_at DESC, id DESC);
CREATE INDEX certificates_device ON certificates (device_uid, issued_at DESC, id DESC);
CREATE INDEX certificates_live ON certificates (device_uid, not_after) WHERE revoked_at IS NULL;
CREATE INDEX certificates_spki ON certificates (spki_sha256) WHERE revoked_at IS NULL;
CREATE INDEX certificates_claim ON certificates (claim_id) WHERE claim_id IS NOT NULL;

CREATE FUNCTION refuse_unrevoke() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'a revoked certificate stays revoked' USING ERRCODE = 'check_violation';
END $$;
CREATE TRIGGER certificates_stay_revoked BEFORE UPDATE ON certificates
  FOR EACH ROW WHEN (OLD.revoked_at IS NOT NULL AND NEW.revoked_at IS NULL) EXECUTE FUNCTION refuse_unrevoke();

-- One row a client id of the whole broker (spec 4.10). Whoever writes it holds its lock, so ownership is never decided
-- by a read alone. A device owns it until live_until (its last live certificate's end); an MQTT client until removed.
CREATE TABLE client_ids (
  client_id text PRIMARY KEY,
  tenant_id uuid NOT NULL REFERENCES tenants,
  holder text NOT NULL CHECK (holder IN ('device', 'mqtt_client')),
  live_until timestamptz NOT NULL
);

CREATE TABLE blocked_keys (
  spki_sha256 bytea PRIMARY KEY,
  reason text NOT NULL,
  blocked_at timestamptz NOT NULL
);

CREATE TABLE device_findings (
  id uuid PRIMARY KEY,
  tenant_id uuid NOT NULL REFERENCES tenants,
  device_uid uuid NOT NULL REFERENCES devices,
  kind text NOT NULL CHECK (kind IN ('shared_key')),
  certificate_id uuid REFERENCES certificates,
  at timestamptz NOT NULL
);
CREATE INDEX device_findings_device ON device_findings (device_uid, at DESC);

-- A key that is live on two devices is a finding on both, whoever issued and however close together: the lock makes the
-- second of two wait for the first, and each command of this function sees what was committed meanwhile.
CREATE FUNCTION note_shared_key() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  other record;
  shared boolean := false;
BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended(encode(NEW.spki_sha256, 'hex'), 0));
  FOR other IN
    SELECT DISTINCT ON (c.device_uid) c.id, c.tenant_id, c.device_uid FROM certificates c
    WHERE c.spki_sha256 = NEW.spki_sha256 AND c.revoked_at IS NULL AND c.not_after > NEW.issued_at
      AND c.device_uid <> NEW.device_uid
    ORDER BY c.device_uid, c.not_after DESC
  LOOP
    shared := true;
    INSERT INTO device_findings (id, tenant_id, device_uid, kind, certificate_id, at)
    SELECT gen_random_uuid(), other.tenant_id, other.device_uid, 'shared_key', other.id, NEW.issued_at
    WHERE NOT EXISTS (SELECT 1 FROM device_findings f WHERE f.device_uid = other.device_uid
      AND f.kind = 'shared_key' AND f.certificate_id = other.id);
  END LOOP;
  IF shared THEN
    INSERT INTO device_findings (id, tenant_id, device_uid, kind, certificate_id, at)
    VALUES (gen_random_uuid(), NEW.tenant_id, NEW.device_uid, 'shared_key', NEW.id, NEW.issued_at);
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER certificates_shared_key AFTER INSERT ON certificates FOR EACH ROW EXECUTE FUNCTION note_shared_key();

-- A device holds its client id exactly as long as its last live certificate (spec 4.10). Whoever revokes holds the
-- device's row, so no certificate is issued between this look and the commit.
CREATE FUNCTION release_client_id() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE client_ids SET live_until = coalesce(
    (SELECT max(c.not_after) FROM certificates c WHERE c.device_uid = NEW.device_uid AND c.revoked_at IS NULL),
    least(live_until, NEW.revoked_at))
  WHERE client_id = NEW.device_id AND tenant_id = NEW.tenant_id AND holder = 'device';
  RETURN NULL;
END $$;
CREATE TRIGGER certificates_release_client_id AFTER UPDATE OF revoked_at ON certificates
  FOR EACH ROW WHEN (OLD.revoked_at IS NULL AND NEW.revoked_at IS NOT NULL) EXECUTE FUNCTION release_client_id();

CREATE TABLE claim_guesses (
  address text NOT NULL,
  at timestamptz NOT NULL
);
CREATE INDEX claim_guesses_address ON claim_guesses (address, at);
CREATE INDEX claim_guesses_at ON claim_guesses (at);

CREATE TABLE certificate_audit (
  seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  id uuid NOT NULL UNIQUE,
  tenant_id uuid NOT NULL REFERENCES tenants,
  kind text NOT NULL CHECK (kind IN
    ('device_cert_minted', 'device_cert_enrolled', 'device_cert_renewed', 'device_cert_revoked')),
  at timestamptz NOT NULL,
  actor text NOT NULL,
  device_id text NOT NULL,
  certificate_id uuid NOT NULL,
  serial_number text NOT NULL,
  previous_serial_number text,
  fingerprint_sha256 text NOT NULL,
  claim_id uuid,
  CHECK ((kind = 'device_cert_renewed') = (previous_serial_number IS NOT NULL))
);
CREATE INDEX certificate_audit_tenant ON certificate_audit (tenant_id, seq DESC);
CREATE UNIQUE INDEX certificate_audit_issued ON certificate_audit (certificate_id)
  WHERE kind IN ('device_cert_minted', 'device_cert_enrolled', 'device_cert_renewed');
CREATE UNIQUE INDEX certificate_audit_revoked ON certificate_audit (certificate_id) WHERE kind = 'device_cert_revoked';

CREATE FUNCTION refuse_rewrite() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'the audit only grows' USING ERRCODE = 'check_violation';
END $$;
CREATE TRIGGER certificate_audit_grows BEFORE UPDATE OR DELETE ON certificate_audit
  FOR EACH ROW EXECUTE FUNCTION refuse_rewrite();

-- Raised inside a statement to abort it whole with a code of ours (see db/refusal.ts).
CREATE FUNCTION muster_refuse(code text) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION '%', code USING ERRCODE = 'MU001';
END $$;

CREATE TABLE mqtt_clients (
  id uuid PRIMARY KEY,
  tenant_id uuid NOT NULL REFERENCES tenants,
  client_id text NOT NULL,
  username text NOT NULL,
  password_hash text NOT NULL,
  publish_topics text[] NOT NULL,
  subscribe_filters text[] NOT NULL,
  created_at timestamptz NOT NULL,
  disabled_at timestamptz
);
CREATE UNIQUE INDEX mqtt_clients_client_id ON mqtt_clients (client_id) WHERE disabled_at IS NULL;
CREATE UNIQUE INDEX mqtt_clients_username ON mqtt_clients (username) WHERE disabled_at IS NULL;
CREATE INDEX mqtt_clients_tenant ON mqtt_clients (tenant_id, created_at);

-- A process that serves MQTT. Its sessions count only while it beats.
CREATE TABLE broker_nodes (
  id uuid PRIMARY KEY,
  started_at timestamptz NOT NULL,
  beat_at timestamptz NOT NULL
);

-- One row a client id: whoever writes it last has taken the session over, whichever process it lives in. The row keeps
-- whom it replaced, read under the row's lock, so that exactly one successor tells each predecessor to go. No foreign
-- keys but the node's: a connect must never wait for a transaction that holds the device or the certificate.
CREATE SEQUENCE mqtt_session_seq;
CREATE TABLE mqtt_sessions (
  client_id text PRIMARY KEY,
  session_id uuid NOT NULL,
  seq bigint NOT NULL,
  node_id uuid NOT NULL REFERENCES broker_nodes ON DELETE CASCADE,
  previous_session_id uuid,
  previous_node_id uuid,
  tenant_id uuid NOT NULL,
  device_uid uuid,
  certificate_id uuid,
  mqtt_client_id uuid,
  remote_address text NOT NULL,
  connected_at timestamptz NOT NULL
);
CREATE INDEX mqtt_sessions_node ON mqtt_sessions (node_id);
CREATE INDEX mqtt_sessions_certificate ON mqtt_sessions (certificate_id) WHERE certificate_id IS NOT NULL;
CREATE INDEX mqtt_sessions_device ON mqtt_sessions (device_uid) WHERE device_uid IS NOT NULL;

-- The outbox of session drops: written in the transaction of the change, delivered after it, acknowledged a node.
CREATE TABLE session_drops (
  seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  at timestamptz NOT NULL,
  certificate_id uuid,
  device_uid uuid,
  mqtt_client_id uuid,
  client_id text,
  session_id uuid,
  reason text NOT NULL,
  CHECK (num_nonnulls(certificate_id, device_uid, mqtt_client_id, session_id) = 1)
);
CREATE TABLE session_drop_acks (
  seq bigint NOT NULL REFERENCES session_drops ON DELETE CASCADE,
  node_id uuid NOT NULL REFERENCES broker_nodes ON DELETE CASCADE,
  PRIMARY KEY (seq, node_id)
);

CREATE TABLE connection_refusals (
  id uuid PRIMARY KEY,
  tenant_id uuid REFERENCES tenants,
  at timestamptz NOT NULL,
  reason text NOT NULL,
  client_id text,
  device_id text,
  serial_number text,
  fingerprint_sha256 text,
  remote_address text,
  topic text
);
CREATE INDEX connection_refusals_tenant ON connection_refusals (tenant_id, at DESC, id DESC);

-- What devices say has no foreign key to them: a batch must wait for no lock on a device, and a deleted device's
-- history stays.
CREATE TABLE telemetry (
  device_uid uuid NOT NULL,
  metric text NOT NULL,
  ts timestamptz NOT NULL,
  number double precision,
  flag boolean,
  text text,
  received_at timestamptz NOT NULL,
  time_replaced boolean NOT NULL DEFAULT false,
  PRIMARY KEY (device_uid, metric, ts),
  CHECK (num_nonnulls(number, flag, text) = 1)
);
-- Half-filled pages: nearly every message updates a row here, which then stays on its page and out of the index.
CREATE TABLE telemetry_latest (
  device_uid uuid NOT NULL,
  metric text NOT NULL,
  ts timestamptz NOT NULL,
  number double precision,
  flag boolean,
  text text,
  received_at timestamptz NOT NULL,
  time_replaced boolean NOT NULL DEFAULT false,
  PRIMARY KEY (device_uid, metric)
) WITH (fillfactor = 50);
CREATE TABLE rejected_messages (
  id uuid PRIMARY KEY,
  device_uid uuid NOT NULL,
  at timestamptz NOT NULL,
  topic text NOT NULL,
  reason text NOT NULL,
  payload bytea NOT NULL
);
CREATE INDEX rejected_messages_device ON rejected_messages (device_uid, at DESC, id DESC);

-- Certificate authorities and server certificates; private keys are encrypted PKCS#8 under the master key.
CREATE TABLE authorities (
  id uuid PRIMARY KEY,
  role text NOT NULL CHECK (role IN
    ('device_root', 'device_intermediate', 'server_root', 'broker_server', 'https_server')),
  name text NOT NULL,
  status text NOT NULL CHECK (status IN ('upcoming', 'active', 'retiring', 'retired')),
  issuer_id uuid REFERENCES authorities,
  certificate_der bytea NOT NULL,
  private_key_pem text,
  fingerprint_sha256 text NOT NULL UNIQUE,
  not_before timestamptz NOT NULL,
  not_after timestamptz NOT NULL,
  created_at timestamptz NOT NULL,
  -- upcoming: when it is to be taken into use
  take_over_at timestamptz,
  activated_at timestamptz,
  -- retiring since: nothing is issued by it any more, what it issued still lives
  retiring_at timestamptz,
  retired_at timestamptz,
  -- a retired authority cannot sign, whatever becomes of this database
  CHECK (status <> 'retired' OR private_key_pem IS NULL)
);
CREATE UNIQUE INDEX authorities_active ON authorities (role) WHERE status = 'active';
`;
