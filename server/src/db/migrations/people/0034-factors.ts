/** Second factors of users, their recovery codes, and the rule of a tenant that its admins have one. */
export const factors = `
-- "secret" is encrypted under the master key. A factor counts once its user has given a code of it: "confirmed_at".
-- "last_step": the newest time step (RFC 6238) whose code was accepted; codes of it and of earlier ones are not accepted again.
CREATE TABLE user_factors (
  id uuid PRIMARY KEY,
  user_id uuid NOT NULL REFERENCES users,
  secret bytea NOT NULL,
  created_at timestamptz NOT NULL,
  confirmed_at timestamptz,
  last_step integer NOT NULL DEFAULT 0
);
CREATE UNIQUE INDEX user_factors_confirmed ON user_factors (user_id) WHERE confirmed_at IS NOT NULL;
CREATE UNIQUE INDEX user_factors_begun ON user_factors (user_id) WHERE confirmed_at IS NULL;
CREATE INDEX user_factors_unconfirmed ON user_factors (created_at) WHERE confirmed_at IS NULL;

-- A code that was used is deleted. Only hashes are stored.
CREATE TABLE recovery_codes (
  factor_id uuid NOT NULL REFERENCES user_factors ON DELETE CASCADE,
  code_sha256 bytea NOT NULL,
  PRIMARY KEY (factor_id, code_sha256)
);

CREATE VIEW shared_user_factors AS SELECT user_id, id AS factor_id FROM user_factors WHERE confirmed_at IS NOT NULL;

-- The factor that was given in the session. Where the user has another one by now, the session lacks it.
ALTER TABLE user_sessions ADD COLUMN factor_id uuid;

CREATE FUNCTION delete_user_factors() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM user_factors WHERE user_id = NEW.id;
  RETURN NULL;
END $$;
CREATE TRIGGER users_factors_end AFTER UPDATE OF deleted_at ON users FOR EACH ROW
  WHEN (OLD.deleted_at IS NULL AND NEW.deleted_at IS NOT NULL) EXECUTE FUNCTION delete_user_factors();

ALTER TABLE tenants ADD COLUMN admins_need_factor boolean NOT NULL DEFAULT false;
CREATE OR REPLACE VIEW shared_tenants AS
  SELECT id, slug, name, telemetry_retention_days, admins_need_factor FROM tenants;

-- From then on an admin without a second factor sets one up first: sessions and streams of before do not go on.
CREATE FUNCTION end_sessions_without_factor() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM user_sessions s USING users u
   WHERE u.id = s.user_id AND u.tenant_id = NEW.id AND u.role = 'admin'
     AND NOT EXISTS (SELECT FROM shared_user_factors f WHERE f.user_id = u.id);
  RETURN NULL;
END $$;
CREATE TRIGGER tenants_factor_rule AFTER UPDATE OF admins_need_factor ON tenants FOR EACH ROW
  WHEN (NEW.admins_need_factor AND NOT OLD.admins_need_factor) EXECUTE FUNCTION end_sessions_without_factor();
`;
