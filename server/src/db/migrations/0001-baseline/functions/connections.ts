/**
 * Retained messages end with the right to publish them, and sessions of MQTT clients with the rights of their owner.
 */
export const connectionsFunctions = `
-- Processes that have the message in memory read it again.
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

-- A device that connects again from the same place to the same node costs a look-up.
CREATE FUNCTION record_device_origin() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO device_origins (device_uid, node_id, remote_address) VALUES (NEW.device_uid, NEW.node_id, NEW.remote_address)
  ON CONFLICT (device_uid) DO UPDATE SET node_id = excluded.node_id, remote_address = excluded.remote_address
   WHERE device_origins.node_id <> excluded.node_id OR device_origins.remote_address <> excluded.remote_address;
  RETURN NULL;
END $$;
CREATE TRIGGER mqtt_sessions_origin AFTER INSERT OR UPDATE OF node_id, remote_address ON mqtt_sessions
  FOR EACH ROW WHEN (NEW.device_uid IS NOT NULL) EXECUTE FUNCTION record_device_origin();

-- The lock waits for messages that are being added, and later ones see what this transaction changes
-- (retained-store.ts).
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
  DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW WHEN (OLD.revoked_at IS NULL AND NEW.revoked_at IS NOT NULL) EXECUTE FUNCTION end_retained();

CREATE FUNCTION end_retained_of_client() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_advisory_xact_lock_shared(hashtextextended('retained ' || OLD.tenant_id, 0));
  DELETE FROM retained_messages r WHERE r.owner_id = OLD.id;
  RETURN NULL;
END $$;
CREATE TRIGGER mqtt_clients_deleted AFTER DELETE ON mqtt_clients
  FOR EACH ROW EXECUTE FUNCTION end_retained_of_client();
CREATE TRIGGER mqtt_clients_disabled AFTER UPDATE OF disabled_at ON mqtt_clients
  FOR EACH ROW WHEN (OLD.disabled_at IS NULL AND NEW.disabled_at IS NOT NULL)
  EXECUTE FUNCTION end_retained_of_client();

-- Suspends the MQTT clients of a user who is no longer an active admin, and resumes those of one who is again. FOR
-- UPDATE comes before the update, so that a session that is being opened is either recorded first or refused. Drops go
-- to the nodes that have sessions of the clients, may have unrecorded ones, or have not yet closed ones that were taken
-- over.
CREATE FUNCTION suspend_mqtt_clients() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  ends boolean := NEW.role <> 'admin' OR NEW.status <> 'active' OR NEW.deleted_at IS NOT NULL;
  changed uuid[];
  node uuid;
BEGIN
  SELECT array_agg(c.id) INTO changed FROM (
    SELECT id FROM mqtt_clients WHERE owner_id = NEW.id AND suspended <> ends ORDER BY id FOR UPDATE) c;
  UPDATE mqtt_clients SET suspended = ends WHERE id = ANY (changed);
  IF NOT ends OR changed IS NULL THEN
    RETURN NULL;
  END IF;
  FOR node IN
    INSERT INTO session_drops (at, mqtt_client_id, reason, node_id)
    SELECT clock_timestamp(), c.id, 'client_suspended', c.node_id FROM (
      SELECT m.id, s.node_id FROM mqtt_clients m JOIN mqtt_sessions s ON s.client_id = m.client_id AND s.mqtt_client_id = m.id
       WHERE m.id = ANY (changed)
      UNION
      SELECT m.id, d.node_id FROM mqtt_clients m JOIN session_drops d ON d.client_id = m.client_id
       WHERE m.id = ANY (changed)
         AND NOT EXISTS (SELECT FROM session_drop_acks a WHERE a.seq = d.seq AND a.node_id = d.node_id)
      UNION
      SELECT m.id, n.id FROM unnest(changed) AS m(id), broker_nodes n
       WHERE n.part <> 'jobs' AND NOT EXISTS (SELECT FROM complete_nodes k WHERE k.node_id = n.id)) c
    RETURNING node_id
  LOOP
    PERFORM pg_notify('muster_drops', node::text);
  END LOOP;
  RETURN NULL;
END $$;
CREATE TRIGGER users_mqtt_clients AFTER UPDATE OF role, status, deleted_at ON users
  FOR EACH ROW WHEN (OLD.role IS DISTINCT FROM NEW.role
    OR OLD.status IS DISTINCT FROM NEW.status
    OR OLD.deleted_at IS DISTINCT FROM NEW.deleted_at)
  EXECUTE FUNCTION suspend_mqtt_clients();
`;
