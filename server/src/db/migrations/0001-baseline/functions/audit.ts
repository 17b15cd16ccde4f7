/**
 * Audits and the history of tickets only grow, for every statement: TRUNCATE fires no row trigger. The owner of the
 * tables alone could drop these triggers (docs/operations/database-roles.md).
 */
export const auditFunctions = `
CREATE FUNCTION refuse_rewrite() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'the audit only grows' USING ERRCODE = 'check_violation';
END $$;
CREATE TRIGGER admin_audit_grows BEFORE UPDATE OR DELETE ON admin_audit
  FOR EACH ROW EXECUTE FUNCTION refuse_rewrite();
CREATE TRIGGER admin_audit_not_truncated BEFORE TRUNCATE ON admin_audit
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_rewrite();
CREATE TRIGGER api_audit_grows BEFORE UPDATE OR DELETE ON api_audit
  FOR EACH ROW EXECUTE FUNCTION refuse_rewrite();
CREATE TRIGGER api_audit_not_truncated BEFORE TRUNCATE ON api_audit
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_rewrite();
CREATE TRIGGER certificate_audit_grows BEFORE UPDATE OR DELETE ON certificate_audit
  FOR EACH ROW EXECUTE FUNCTION refuse_rewrite();
CREATE TRIGGER certificate_audit_not_truncated BEFORE TRUNCATE ON certificate_audit
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_rewrite();
CREATE TRIGGER ticket_comments_grows BEFORE UPDATE OR DELETE ON ticket_comments
  FOR EACH ROW EXECUTE FUNCTION refuse_rewrite();
CREATE TRIGGER ticket_comments_not_truncated BEFORE TRUNCATE ON ticket_comments
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_rewrite();
CREATE TRIGGER ticket_history_grows BEFORE UPDATE OR DELETE ON ticket_history
  FOR EACH ROW EXECUTE FUNCTION refuse_rewrite();
CREATE TRIGGER ticket_history_not_truncated BEFORE TRUNCATE ON ticket_history
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_rewrite();
`;
