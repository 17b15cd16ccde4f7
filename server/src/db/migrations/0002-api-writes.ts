/**
 * What came of the writes of API keys (spec 4.8, last line): the log that only grows, and the idempotency keys by which a
 * repeated request is recognised. Both are written in the transaction of the change itself.
 */
export const apiWrites = `
CREATE TABLE api_audit (
  id uuid PRIMARY KEY,
  tenant_id uuid NOT NULL REFERENCES tenants,
  at timestamptz NOT NULL,
  key_id text NOT NULL,
  operation text NOT NULL,
  resource text NOT NULL,
  resource_id text NOT NULL,
  result text NOT NULL CHECK (result IN ('created', 'updated', 'revoked', 'unchanged')),
  address text,
  request_id text NOT NULL,
  certificate_id uuid,
  serial_number text,
  fingerprint_sha256 text,
  CHECK (num_nonnulls(certificate_id, serial_number, fingerprint_sha256) IN (0, 3))
);
CREATE INDEX api_audit_tenant ON api_audit (tenant_id, id DESC);
CREATE INDEX api_audit_resource ON api_audit (tenant_id, resource_id);
CREATE TRIGGER api_audit_grows BEFORE UPDATE OR DELETE ON api_audit
  FOR EACH ROW EXECUTE FUNCTION refuse_rewrite();

-- One row a request that was carried out under an Idempotency-Key, for a day. Whoever inserts it does the work; another
-- waits for it and finds the row. "answer" is empty when the answer showed a secret, or was lost on its way here.
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
