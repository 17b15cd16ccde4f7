/** Retained messages, which every process delivers and which outlast all of them. */
export const retainedMessages = `
CREATE SEQUENCE retained_seq;
CREATE TABLE retained_messages (
  tenant_id uuid NOT NULL REFERENCES tenants,
  topic text NOT NULL,
  -- The device's uid, or the id of the MQTT client, that published it.
  owner_id uuid NOT NULL,
  payload bytea NOT NULL,
  qos smallint NOT NULL,
  -- Those of MQTT 5, encoded.
  properties bytea NOT NULL,
  expires_at timestamptz,
  bytes integer NOT NULL,
  -- Drawn under the row's lock: a later message of the topic has a greater one.
  version bigint NOT NULL,
  PRIMARY KEY (tenant_id, topic)
) WITH (fillfactor = 70);
CREATE INDEX retained_messages_owner ON retained_messages (owner_id);
CREATE INDEX retained_messages_expiry ON retained_messages (expires_at) WHERE expires_at IS NOT NULL;

CREATE FUNCTION notify_retained() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'DELETE' THEN
    PERFORM pg_notify('muster_retained', json_build_array(OLD.tenant_id, nextval('retained_seq'), OLD.topic)::text);
  ELSE
    PERFORM pg_notify('muster_retained', json_build_array(NEW.tenant_id, NEW.version, NEW.topic)::text);
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER retained_messages_changed AFTER INSERT OR UPDATE OR DELETE ON retained_messages
  FOR EACH ROW EXECUTE FUNCTION notify_retained();

-- The lock waits for messages that are being added, and lets later ones see what this transaction changes (retained-store.ts).
CREATE FUNCTION end_retained() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_advisory_xact_lock_shared(hashtextextended('retained ' || NEW.tenant_id, 0));
  DELETE FROM retained_messages r WHERE r.owner_id = NEW.device_uid AND NOT EXISTS (
    SELECT FROM certificates c
     WHERE c.device_uid = NEW.device_uid AND c.revoked_at IS NULL AND r.topic = ANY (c.publish_topics));
  RETURN NULL;
END $$;
-- Deferred: a renewal adds the successor in the same transaction.
CREATE CONSTRAINT TRIGGER certificates_end_retained AFTER UPDATE OF revoked_at ON certificates
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (OLD.revoked_at IS NULL AND NEW.revoked_at IS NOT NULL)
  EXECUTE FUNCTION end_retained();

CREATE FUNCTION end_retained_of_client() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_advisory_xact_lock_shared(hashtextextended('retained ' || OLD.tenant_id, 0));
  DELETE FROM retained_messages r WHERE r.owner_id = OLD.id;
  RETURN NULL;
END $$;
CREATE TRIGGER mqtt_clients_disabled AFTER UPDATE OF disabled_at ON mqtt_clients FOR EACH ROW
  WHEN (OLD.disabled_at IS NULL AND NEW.disabled_at IS NOT NULL) EXECUTE FUNCTION end_retained_of_client();
CREATE TRIGGER mqtt_clients_deleted AFTER DELETE ON mqtt_clients FOR EACH ROW EXECUTE FUNCTION end_retained_of_client();
`;
