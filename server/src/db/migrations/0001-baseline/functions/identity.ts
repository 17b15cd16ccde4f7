/** Triggers that end the sessions and second factors of users. */
export const identityFunctions = `
-- No session outlives a change of role, status or password, whichever feature makes it.
CREATE FUNCTION end_user_sessions() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM user_sessions WHERE user_id = NEW.id;
  RETURN NULL;
END $$;
CREATE TRIGGER users_sessions_end AFTER UPDATE ON users
  FOR EACH ROW WHEN (OLD.role IS DISTINCT FROM NEW.role
    OR OLD.platform IS DISTINCT FROM NEW.platform
    OR OLD.status IS DISTINCT FROM NEW.status
    OR OLD.password_hash IS DISTINCT FROM NEW.password_hash
    OR OLD.deleted_at IS DISTINCT FROM NEW.deleted_at)
  EXECUTE FUNCTION end_user_sessions();

-- When a tenant starts to require second factors of admins, this ends the sessions of admins who have none.
CREATE FUNCTION end_sessions_without_factor() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM user_sessions s USING users u
   WHERE u.id = s.user_id AND u.tenant_id = NEW.id AND u.role = 'admin'
     AND NOT EXISTS (SELECT FROM shared_user_factors f WHERE f.user_id = u.id);
  RETURN NULL;
END $$;
CREATE TRIGGER tenants_factor_rule AFTER UPDATE OF admins_need_factor ON tenants
  FOR EACH ROW WHEN (NEW.admins_need_factor AND NOT OLD.admins_need_factor)
  EXECUTE FUNCTION end_sessions_without_factor();

CREATE FUNCTION delete_user_factors() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM user_factors WHERE user_id = NEW.id;
  DELETE FROM passkeys WHERE user_id = NEW.id;
  DELETE FROM recovery_codes WHERE user_id = NEW.id;
  DELETE FROM oidc_identities WHERE user_id = NEW.id;
  RETURN NULL;
END $$;
CREATE TRIGGER users_factors_end AFTER UPDATE OF deleted_at ON users
  FOR EACH ROW WHEN (OLD.deleted_at IS NULL AND NEW.deleted_at IS NOT NULL) EXECUTE FUNCTION delete_user_factors();

-- Processes close the streams of the session.
CREATE FUNCTION notify_session_ended() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('muster_sessions', OLD.id::text);
  RETURN NULL;
END $$;
CREATE TRIGGER user_sessions_ended AFTER DELETE ON user_sessions
  FOR EACH ROW EXECUTE FUNCTION notify_session_ended();
`;
