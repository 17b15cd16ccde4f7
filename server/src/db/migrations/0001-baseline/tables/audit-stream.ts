/** The audit streams of tenants, and the entries that wait for their receiver. */
export const auditStreamTables = `
-- "lease": the process that sends now, until "leased_until". "lost": entries that waited too long, or were refused.
CREATE TABLE audit_streams (
  tenant_id uuid PRIMARY KEY REFERENCES tenants,
  kind text NOT NULL CHECK (kind IN ('syslog', 'https', 'otlp')),
  target text NOT NULL,
  ca_pem text,
  secret_seed text NOT NULL,
  created_at timestamptz NOT NULL,
  next_at timestamptz NOT NULL,
  failures integer NOT NULL DEFAULT 0,
  last_error text,
  last_sent_at timestamptz,
  lost integer NOT NULL DEFAULT 0,
  lease uuid,
  leased_until timestamptz
);

-- Copies of audit entries, written by triggers in the transaction of the entry and deleted once a receiver has them.
CREATE TABLE audit_outbox (
  seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  xid xid8 NOT NULL DEFAULT pg_current_xact_id(),
  tenant_id uuid NOT NULL REFERENCES audit_streams ON DELETE CASCADE,
  audit text NOT NULL CHECK (audit IN ('admin', 'api', 'certificate')),
  at timestamptz NOT NULL,
  entry jsonb NOT NULL
);
CREATE INDEX audit_outbox_at ON audit_outbox (at);
CREATE INDEX audit_outbox_next ON audit_outbox (tenant_id, xid, seq);
`;

/** Triggers that copy entries of tenants with a stream; others cost one look-up per statement. */
export const auditStreamFunctions = `
CREATE FUNCTION copy_audit_entries() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO audit_outbox (tenant_id, audit, at, entry)
  SELECT a.tenant_id, TG_ARGV[0], a.at, to_jsonb(a)
    FROM added a JOIN audit_streams s ON s.tenant_id = a.tenant_id ORDER BY a.id;
  RETURN NULL;
END $$;
CREATE TRIGGER admin_audit_streamed AFTER INSERT ON admin_audit REFERENCING NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION copy_audit_entries('admin');
CREATE TRIGGER api_audit_streamed AFTER INSERT ON api_audit REFERENCING NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION copy_audit_entries('api');
CREATE TRIGGER certificate_audit_streamed AFTER INSERT ON certificate_audit REFERENCING NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION copy_audit_entries('certificate');
`;
