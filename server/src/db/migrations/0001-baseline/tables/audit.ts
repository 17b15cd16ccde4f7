/** Audits, which only ever grow (functions/audit.ts), and the idempotency keys of the public API. */
export const auditTables = `
-- Each certificate is issued once and revoked at most once: two unique indexes say so.
CREATE TABLE certificate_audit (
  seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  id uuid NOT NULL UNIQUE,
  tenant_id uuid NOT NULL REFERENCES tenants,
  kind text NOT NULL
    CHECK (kind IN ('device_cert_minted', 'device_cert_enrolled', 'device_cert_renewed', 'device_cert_revoked')),
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
CREATE INDEX certificate_audit_by_actor ON certificate_audit (tenant_id, actor, id);
CREATE INDEX certificate_audit_by_kind ON certificate_audit (tenant_id, kind, id);
CREATE UNIQUE INDEX certificate_audit_issued ON certificate_audit (certificate_id)
  WHERE kind IN ('device_cert_minted', 'device_cert_enrolled', 'device_cert_renewed');
CREATE INDEX certificate_audit_listed ON certificate_audit (tenant_id, id);
CREATE UNIQUE INDEX certificate_audit_revoked ON certificate_audit (certificate_id) WHERE kind = 'device_cert_revoked';

-- Changes that API keys made.
CREATE TABLE api_audit (
  id uuid PRIMARY KEY,
  tenant_id uuid NOT NULL REFERENCES tenants,
  at timestamptz NOT NULL,
  key_id text NOT NULL,
  operation text NOT NULL,
  resource text NOT NULL,
  resource_id text NOT NULL,
  result text NOT NULL CHECK (result IN ('created', 'updated', 'revoked', 'deleted', 'unchanged')),
  address text,
  request_id text NOT NULL,
  certificate_id uuid,
  serial_number text,
  fingerprint_sha256 text,
  CHECK (num_nonnulls(certificate_id, serial_number, fingerprint_sha256) IN (0, 3))
);
CREATE INDEX api_audit_by_operation ON api_audit (tenant_id, operation, id);
CREATE INDEX api_audit_by_resource ON api_audit (tenant_id, resource, id);
CREATE INDEX api_audit_by_result ON api_audit (tenant_id, result, id);
CREATE INDEX api_audit_key ON api_audit (tenant_id, key_id, id);
CREATE INDEX api_audit_listed ON api_audit (tenant_id, id);
CREATE INDEX api_audit_resource ON api_audit (tenant_id, resource_id);

-- Administrative acts, each recorded in the transaction of its change.
CREATE TABLE admin_audit (
  id uuid PRIMARY KEY,
  -- NULL: the whole installation (certificate authorities, blocked keys, the master key).
  tenant_id uuid REFERENCES tenants,
  at timestamptz NOT NULL,
  actor text NOT NULL,
  address text,
  -- <kind of record>.<verb>
  act text NOT NULL CHECK (act ~ '^[a-z0-9-]+[.][a-z0-9-]+$'),
  target text NOT NULL,
  before jsonb,
  after jsonb
);
CREATE INDEX admin_audit_by_act ON admin_audit (tenant_id, act COLLATE "C", id);
CREATE INDEX admin_audit_by_actor ON admin_audit (tenant_id, actor, id);
CREATE INDEX admin_audit_listed ON admin_audit (tenant_id, id);
CREATE INDEX admin_audit_target ON admin_audit (tenant_id, target, id);

-- One row per request with an Idempotency-Key, kept for a day. The request that inserts the row does the work; a
-- repeated one waits for it and finds the row. "answer" is NULL if the answer contained a secret or was never stored.
CREATE TABLE idempotency_keys (
  key_id text NOT NULL,
  idempotency_key text NOT NULL,
  operation text NOT NULL,
  request_sha256 bytea NOT NULL,
  resource_id text NOT NULL,
  at timestamptz NOT NULL,
  answer text,
  PRIMARY KEY (key_id, idempotency_key)
);
CREATE INDEX idempotency_keys_at ON idempotency_keys (at);
`;
