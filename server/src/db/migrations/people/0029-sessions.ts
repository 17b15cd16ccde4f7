/** Sessions of the admin app, and which users run the installation. */
export const sessions = `
-- The user may create tenants and administer the certificate authorities. Earlier versions have no such user: muster user platform.
ALTER TABLE users ADD COLUMN platform boolean NOT NULL DEFAULT false;

CREATE OR REPLACE VIEW shared_users AS
  SELECT id, tenant_id, email, role, status, deleted_at, platform FROM users;

-- Of the session's token only the hash is stored. "verified_at": when the user last gave password and second factor.
CREATE TABLE user_sessions (
  id uuid PRIMARY KEY,
  user_id uuid NOT NULL REFERENCES users,
  token_sha256 bytea NOT NULL UNIQUE,
  created_at timestamptz NOT NULL,
  last_used_at timestamptz NOT NULL,
  expires_at timestamptz NOT NULL,
  verified_at timestamptz NOT NULL,
  address text NOT NULL,
  user_agent text NOT NULL
);
CREATE INDEX user_sessions_user ON user_sessions (user_id, id);
CREATE INDEX user_sessions_expiring ON user_sessions (expires_at);

-- By whichever feature the user is changed, no session outlives the change.
CREATE FUNCTION end_user_sessions() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM user_sessions WHERE user_id = NEW.id;
  RETURN NULL;
END $$;
CREATE TRIGGER users_sessions_end AFTER UPDATE ON users FOR EACH ROW
  WHEN (ROW(OLD.role, OLD.platform, OLD.status, OLD.password_hash, OLD.deleted_at)
        IS DISTINCT FROM ROW(NEW.role, NEW.platform, NEW.status, NEW.password_hash, NEW.deleted_at))
  EXECUTE FUNCTION end_user_sessions();

-- Processes with a stream of the session close it.
CREATE FUNCTION notify_session_ended() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('muster_sessions', OLD.id::text);
  RETURN NULL;
END $$;
CREATE TRIGGER user_sessions_ended AFTER DELETE ON user_sessions FOR EACH ROW EXECUTE FUNCTION notify_session_ended();
`;
