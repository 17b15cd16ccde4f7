/**
 * The administrative audit and the API audit log are counted lists, with filters: the entries of a target, and of an API key. Acts on the
 * whole installation are in no tenant's list.
 */
export const listedAudits = `
DROP INDEX admin_audit_tenant;
CREATE INDEX admin_audit_listed ON admin_audit (tenant_id, id);
CREATE INDEX admin_audit_target ON admin_audit (tenant_id, target, id);
CREATE TRIGGER admin_audit_listed AFTER INSERT ON admin_audit
  FOR EACH ROW WHEN (NEW.tenant_id IS NOT NULL) EXECUTE FUNCTION list_row();

DROP INDEX api_audit_tenant;
CREATE INDEX api_audit_listed ON api_audit (tenant_id, id);
CREATE INDEX api_audit_key ON api_audit (tenant_id, key_id, id);
CREATE TRIGGER api_audit_listed AFTER INSERT ON api_audit FOR EACH ROW EXECUTE FUNCTION list_row();
`;
