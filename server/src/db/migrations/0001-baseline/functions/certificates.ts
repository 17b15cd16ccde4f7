/** Rules for certificates, whichever feature issues or revokes them. */
export const certificatesFunctions = `
-- One lock per key: for blocking it, and for recording certificates that have it.
CREATE FUNCTION lock_certified_key(spki_sha256 bytea) RETURNS void LANGUAGE sql AS $$
  SELECT pg_advisory_xact_lock(hashtextextended(encode(spki_sha256, 'hex'), 0))
$$;

-- Stores with a device the state of its certificates. The calling transaction has locked the device.
CREATE FUNCTION derive_certificate_state(device uuid) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  UPDATE devices d SET (certificate_until, certificate_kind, certificate_renew_after, certificate_revoked) = (
    SELECT l.not_after, l.kind, l.renew_after, n.revoked
      FROM (SELECT c.revoked_at IS NOT NULL AS revoked FROM certificates c WHERE c.device_uid = device
             ORDER BY c.issued_at DESC, c.id DESC LIMIT 1) n
      LEFT JOIN (SELECT c.not_after, c.kind, c.renew_after FROM certificates c
                  WHERE c.device_uid = device AND c.revoked_at IS NULL
                  ORDER BY c.not_after DESC, c.issued_at DESC, c.id DESC LIMIT 1) l ON true)
   WHERE d.uid = device;
END $$;

-- Refuses a blocked key, counts the certificate in its list, updates the device, and records a finding on every device
-- that shares the key. The lock comes first, so that the rest sees what other transactions with this key have
-- committed.
CREATE FUNCTION certificate_added() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  facts record;
  other record;
BEGIN
  IF lock_certified_key(NEW.spki_sha256) IS NULL THEN
    RETURN NULL;
  END IF;
  SELECT EXISTS (SELECT FROM blocked_keys b WHERE b.spki_sha256 = NEW.spki_sha256) AS blocked,
    current_setting('transaction_isolation') <> 'read committed' OR EXISTS (
      SELECT FROM list_blocks b WHERE b.tenant_id = NEW.tenant_id AND b.list = 'certificates' AND b.upto >= NEW.id) AS counted,
    NEW.revoked_at IS NULL AND EXISTS (SELECT FROM devices d
      WHERE d.uid = NEW.device_uid AND d.certificate_until = NEW.not_after AND d.certificate_kind = NEW.kind
        AND d.certificate_renew_after IS NOT DISTINCT FROM NEW.renew_after AND NOT d.certificate_revoked) AS known,
    EXISTS (SELECT FROM certificates c WHERE c.spki_sha256 = NEW.spki_sha256 AND c.revoked_at IS NULL
      AND c.not_after > NEW.issued_at AND c.device_uid <> NEW.device_uid) AS shared
    INTO facts;
  IF facts.blocked THEN
    PERFORM muster_refuse('key_blocked');
  END IF;
  IF facts.counted THEN
    PERFORM record_list_change('certificates', NEW.tenant_id, NEW.id, NULL,
      CASE WHEN NEW.revoked_at IS NULL THEN 'active' ELSE 'revoked' END);
  END IF;
  IF NOT facts.known THEN
    PERFORM derive_certificate_state(NEW.device_uid);
  END IF;
  IF facts.shared THEN
    FOR other IN
      SELECT DISTINCT ON (c.device_uid) c.id, c.tenant_id, c.device_uid FROM certificates c
      WHERE c.spki_sha256 = NEW.spki_sha256 AND c.revoked_at IS NULL AND c.not_after > NEW.issued_at
        AND c.device_uid <> NEW.device_uid
      ORDER BY c.device_uid, c.not_after DESC
    LOOP
      INSERT INTO device_findings (id, tenant_id, device_uid, kind, certificate_id, at)
      SELECT gen_random_uuid(), other.tenant_id, other.device_uid, 'shared_key', other.id, NEW.issued_at
      WHERE NOT EXISTS (SELECT 1 FROM device_findings f WHERE f.device_uid = other.device_uid
        AND f.kind = 'shared_key' AND f.certificate_id = other.id);
    END LOOP;
    INSERT INTO device_findings (id, tenant_id, device_uid, kind, certificate_id, at)
    VALUES (gen_random_uuid(), NEW.tenant_id, NEW.device_uid, 'shared_key', NEW.id, NEW.issued_at);
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER certificates_added AFTER INSERT ON certificates
  FOR EACH ROW EXECUTE FUNCTION certificate_added();

-- The transaction that revokes has locked the device.
CREATE FUNCTION certificate_of_device_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM derive_certificate_state(NEW.device_uid);
  RETURN NULL;
END $$;
CREATE TRIGGER certificates_of_device_revoked AFTER UPDATE OF revoked_at ON certificates
  FOR EACH ROW WHEN (OLD.revoked_at IS DISTINCT FROM NEW.revoked_at) EXECUTE FUNCTION certificate_of_device_changed();

CREATE FUNCTION refuse_unrevoke() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'a revoked certificate stays revoked' USING ERRCODE = 'check_violation';
END $$;
CREATE TRIGGER certificates_stay_revoked BEFORE UPDATE ON certificates
  FOR EACH ROW WHEN (OLD.revoked_at IS NOT NULL AND NEW.revoked_at IS NULL) EXECUTE FUNCTION refuse_unrevoke();

-- A device owns its client id exactly as long as its last valid certificate (spec 4.10). The transaction that revokes
-- has locked the device, so no certificate is issued between this read and the commit.
CREATE FUNCTION release_client_id() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE client_ids SET live_until = coalesce(
    (SELECT max(c.not_after) FROM certificates c WHERE c.device_uid = NEW.device_uid AND c.revoked_at IS NULL),
    least(live_until, NEW.revoked_at))
  WHERE client_id = NEW.device_id AND tenant_id = NEW.tenant_id AND holder = 'device';
  RETURN NULL;
END $$;
CREATE TRIGGER certificates_release_client_id AFTER UPDATE OF revoked_at ON certificates
  FOR EACH ROW WHEN (OLD.revoked_at IS NULL AND NEW.revoked_at IS NOT NULL) EXECUTE FUNCTION release_client_id();
`;
