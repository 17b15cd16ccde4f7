/** MQTT clients have at most the present rights of the admin who answers for them. */
export const clientOwners = `
ALTER TABLE mqtt_clients
  -- The admin who registered, enabled or rotated it last; null: the shell, or an earlier version.
  ADD COLUMN owner_id uuid,
  -- Whether the owner has ceased to be an active admin: connects compare this column and need no join.
  ADD COLUMN suspended boolean NOT NULL DEFAULT false,
  ADD CONSTRAINT mqtt_clients_owner_fkey FOREIGN KEY (tenant_id, owner_id) REFERENCES users (tenant_id, id);
CREATE INDEX mqtt_clients_owner ON mqtt_clients (owner_id) WHERE owner_id IS NOT NULL;

-- Only admins who are active now become owners, so that the upgrade stops no client.
UPDATE mqtt_clients m SET owner_id = u.id
  FROM mqtt_clients c
 CROSS JOIN LATERAL (
   SELECT a.actor FROM admin_audit a
    WHERE a.tenant_id = c.tenant_id AND a.target = c.client_id AND a.after->>'id' = c.id::text
      AND a.act IN ('mqtt-client.create', 'mqtt-client.enable', 'mqtt-client.rotate-password')
    ORDER BY a.id DESC LIMIT 1) latest
  JOIN users u ON 'user:' || u.id = latest.actor
 WHERE m.id = c.id AND u.tenant_id = c.tenant_id AND u.role = 'admin' AND u.status = 'active' AND u.deleted_at IS NULL;

CREATE OR REPLACE VIEW shared_mqtt_clients AS
  SELECT id, tenant_id, disabled_at, client_id, username, owner_id, suspended FROM mqtt_clients;

-- FOR UPDATE before the update, as where a client is disabled: every session that is being opened is recorded before, or refused.
-- Drops go to the nodes that have sessions of the clients, may have some that are not recorded, or have not closed some that were taken over.
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
       WHERE m.id = ANY (changed) AND d.node_id IS NOT NULL
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
CREATE TRIGGER users_mqtt_clients AFTER UPDATE OF role, status, deleted_at ON users FOR EACH ROW
  WHEN (OLD.role IS DISTINCT FROM NEW.role OR OLD.status IS DISTINCT FROM NEW.status OR OLD.deleted_at IS DISTINCT FROM NEW.deleted_at)
  EXECUTE FUNCTION suspend_mqtt_clients();
`;
