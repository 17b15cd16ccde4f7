/**
 * Compromised device keys, and keys derived from a former master key.
 *
 * No certificate is recorded for a blocked key. An issuance decides before it signs, so a key may be blocked in between: this trigger
 * and the transaction that blocks take the same lock, the one under which shared keys are found.
 */
export const blockedAndRetiredKeys = `
CREATE FUNCTION lock_certified_key(spki_sha256 bytea) RETURNS void LANGUAGE sql AS $$
  SELECT pg_advisory_xact_lock(hashtextextended(encode(spki_sha256, 'hex'), 0))
$$;

CREATE FUNCTION refuse_blocked_key() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM lock_certified_key(NEW.spki_sha256);
  IF EXISTS (SELECT FROM blocked_keys b WHERE b.spki_sha256 = NEW.spki_sha256) THEN
    PERFORM muster_refuse('key_blocked');
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER certificates_key_not_blocked AFTER INSERT ON certificates FOR EACH ROW EXECUTE FUNCTION refuse_blocked_key();

-- Keys derived from a former master key that are still needed after its rotation: open claims are looked up by an HMAC under one, and
-- receivers of webhooks verify signatures under another. Encrypted under the present master key.
CREATE TABLE retired_keys (
  id uuid PRIMARY KEY,
  purpose text NOT NULL CHECK (purpose IN ('claim-code', 'webhook-secrets')),
  sealed bytea NOT NULL,
  retired_at timestamptz NOT NULL,
  needed_until timestamptz NOT NULL
);
`;
