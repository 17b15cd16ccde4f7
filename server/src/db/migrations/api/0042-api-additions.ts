/** API keys delete devices and webhooks, and follow events: a stream must end with its key, in whichever process it is open. */
export const apiAdditions = `
ALTER TABLE api_audit DROP CONSTRAINT api_audit_result_check;
ALTER TABLE api_audit ADD CONSTRAINT api_audit_result_check
  CHECK (result IN ('created', 'updated', 'revoked', 'deleted', 'unchanged'));

CREATE FUNCTION notify_key_ended() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('muster_keys', NEW.id);
  RETURN NULL;
END $$;
CREATE TRIGGER api_keys_ended AFTER UPDATE OF revoked_at ON api_keys FOR EACH ROW
  WHEN (OLD.revoked_at IS NULL AND NEW.revoked_at IS NOT NULL) EXECUTE FUNCTION notify_key_ended();
`;
