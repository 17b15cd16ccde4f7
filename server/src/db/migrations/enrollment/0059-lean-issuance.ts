/**
 * What issuing a certificate runs in the database, with the same effect in a third of the statements: each statement of a trigger costs as much as
 * an index look-up or more, and a redemption ran 25 of them.
 *
 * - One trigger for each added certificate reads at once what four read one after the other, and acts only where something is to be done.
 * - Triggers of lists read whether a counted block covers the row before they call `note_listed`; nearly all rows are newer than every block.
 * - The statement that adds a device states what its first certificate makes of it; the device is updated where that is not so.
 */
export const leanIssuance = `
CREATE OR REPLACE FUNCTION list_device() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    IF current_setting('transaction_isolation') <> 'read committed' OR EXISTS (
      SELECT FROM list_blocks b WHERE b.tenant_id = NEW.tenant_id AND b.list = 'devices' AND b.upto >= NEW.uid) THEN
      PERFORM note_listed('devices', NEW.tenant_id, NEW.uid, NULL, '');
    END IF;
  ELSIF TG_OP = 'UPDATE' AND NEW.deleted_at IS NULL THEN
    PERFORM note_listed('devices', NEW.tenant_id, NEW.uid, NULL, '');
  ELSE
    PERFORM note_listed('devices', OLD.tenant_id, OLD.uid, '', NULL);
  END IF;
  RETURN NULL;
END $$;

-- The lock comes first: what is read after it is what another transaction with this key has committed.
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
    PERFORM note_listed('certificates', NEW.tenant_id, NEW.id, NULL,
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
CREATE OR REPLACE FUNCTION certificate_of_device_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM derive_certificate_state(NEW.device_uid);
  RETURN NULL;
END $$;

DROP TRIGGER certificates_key_not_blocked ON certificates;
DROP TRIGGER certificates_of_device_added ON certificates;
DROP TRIGGER certificates_shared_key ON certificates;
DROP TRIGGER certificates_listed ON certificates;
DROP FUNCTION refuse_blocked_key();
DROP FUNCTION record_shared_key();
CREATE TRIGGER certificates_added AFTER INSERT ON certificates FOR EACH ROW EXECUTE FUNCTION certificate_added();
CREATE TRIGGER certificates_unlisted AFTER DELETE ON certificates FOR EACH ROW EXECUTE FUNCTION list_certificate();

-- The event and the list of the audit.
CREATE OR REPLACE FUNCTION record_certificate_event() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  entry uuid := NEW.id;
  counted boolean;
BEGIN
  INSERT INTO events (tenant_id, at, changed_table, operation, device_id, device_uid, changed_row) VALUES (
    NEW.tenant_id, NEW.at, 'certificate_audit', TG_OP, NEW.device_id,
    (SELECT c.device_uid FROM shared_certificates c WHERE c.id = NEW.certificate_id), to_jsonb(NEW))
  RETURNING current_setting('transaction_isolation') <> 'read committed' OR EXISTS (
    SELECT FROM list_blocks b WHERE b.tenant_id = events.tenant_id AND b.list = 'certificate_audit' AND b.upto >= entry) INTO counted;
  IF counted THEN
    PERFORM note_listed('certificate_audit', NEW.tenant_id, NEW.id, NULL, '');
  END IF;
  RETURN NULL;
END $$;
DROP TRIGGER certificate_audit_event ON certificate_audit;
DROP TRIGGER certificate_audit_listed ON certificate_audit;
CREATE TRIGGER certificate_audit_added AFTER INSERT ON certificate_audit FOR EACH ROW EXECUTE FUNCTION record_certificate_event();

-- Of most changes nothing enters the notification inbox: its trigger runs for the others only, and anomalies, of which one statement may
-- record hundreds, enter it with their events.
CREATE OR REPLACE FUNCTION record_anomaly_events() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    WITH recorded AS (
      INSERT INTO events (tenant_id, at, changed_table, operation, device_id, device_uid, changed_row)
      SELECT n.tenant_id, coalesce(n.resolved_at, n.acknowledged_at, n.opened_at), 'anomalies', TG_OP, n.device_id, n.device_uid, to_jsonb(n)
        FROM entered n
      RETURNING seq, tenant_id, at, changed_table, operation, changed_row)
    INSERT INTO notification_inbox (seq, tenant_id, at, changed_table, operation, changed_row)
    SELECT * FROM recorded r WHERE r.changed_row->>'status' <> 'resolved';
    PERFORM pg_notify('muster_events', t.tenant_id::text) FROM (SELECT DISTINCT tenant_id FROM entered) t;
  ELSE
    WITH recorded AS (
      INSERT INTO events (tenant_id, at, changed_table, operation, device_id, device_uid, changed_row)
      SELECT n.tenant_id, coalesce(n.resolved_at, n.acknowledged_at, n.opened_at), 'anomalies', TG_OP, n.device_id, n.device_uid, to_jsonb(n)
        FROM entered n JOIN former o ON o.id = n.id WHERE o.status <> n.status
      RETURNING seq, tenant_id, at, changed_table, operation, changed_row)
    INSERT INTO notification_inbox (seq, tenant_id, at, changed_table, operation, changed_row) SELECT * FROM recorded;
    PERFORM pg_notify('muster_events', t.tenant_id::text)
       FROM (SELECT DISTINCT n.tenant_id FROM entered n JOIN former o ON o.id = n.id WHERE o.status <> n.status) t;
  END IF;
  RETURN NULL;
END $$;
DROP TRIGGER events_notified ON events;
CREATE OR REPLACE FUNCTION enter_notification_inbox() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO notification_inbox (seq, tenant_id, at, changed_table, operation, changed_row)
  VALUES (NEW.seq, NEW.tenant_id, NEW.at, NEW.changed_table, NEW.operation, NEW.changed_row);
  RETURN NULL;
END $$;
CREATE TRIGGER events_notified AFTER INSERT ON events
  FOR EACH ROW WHEN (NEW.changed_table IN ('device_findings', 'connection_refusals')) EXECUTE FUNCTION enter_notification_inbox();

-- A statement of its own after the lock: it sees what the transactions before have committed.
CREATE OR REPLACE FUNCTION spend_allowance(tenant uuid, the_quota text, the_round uuid) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  IF the_round IS NULL OR pg_advisory_xact_lock_shared(quota_lock(tenant, the_quota)) IS NULL THEN
    RETURN true;
  END IF;
  IF EXISTS (SELECT FROM quota_rounds r WHERE r.tenant_id = tenant AND r.quota = the_quota AND r.round = the_round) THEN
    RETURN true;
  END IF;
  RETURN muster_refuse('quota_round_over');
END $$;
`;
