/**
 * The administrative audit: who changed what, written in the transaction of the change. No audit table can be changed or emptied,
 * by whichever statement; the owner of the tables alone could drop the triggers (docs/operations.md, least-privilege role).
 */
export const adminAudit = `
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
CREATE INDEX admin_audit_tenant ON admin_audit (tenant_id, id DESC);

CREATE TRIGGER admin_audit_grows BEFORE UPDATE OR DELETE ON admin_audit FOR EACH ROW EXECUTE FUNCTION refuse_rewrite();
CREATE TRIGGER admin_audit_not_truncated BEFORE TRUNCATE ON admin_audit FOR EACH STATEMENT EXECUTE FUNCTION refuse_rewrite();
CREATE TRIGGER api_audit_not_truncated BEFORE TRUNCATE ON api_audit FOR EACH STATEMENT EXECUTE FUNCTION refuse_rewrite();
CREATE TRIGGER certificate_audit_not_truncated BEFORE TRUNCATE ON certificate_audit
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_rewrite();
CREATE TRIGGER ticket_history_not_truncated BEFORE TRUNCATE ON ticket_history
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_rewrite();
`;
