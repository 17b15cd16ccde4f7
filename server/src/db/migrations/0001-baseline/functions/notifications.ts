/** Addresses and webhooks that groups name, and messages that are considered again. */
export const notificationsFunctions = `
-- The address of an active user of the tenant needs no confirmation, because an admin chose it. A link that is still
-- valid is not sent again when another group names the address.
CREATE FUNCTION record_channel_addresses() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO channel_addresses AS a (tenant_id, type, key, address, group_id, named_at, request_at, confirmed_at, confirmed_by)
  SELECT DISTINCT ON (c.type, k.key) NEW.tenant_id, c.type, k.key, c.target, NEW.id, NEW.updated_at,
         CASE WHEN NOT u.known THEN NEW.updated_at END, CASE WHEN u.known THEN NEW.updated_at END, CASE WHEN u.known THEN 'user' END
    FROM jsonb_to_recordset(NEW.channels) AS c (type text, target text)
   CROSS JOIN LATERAL (SELECT channel_address_key(c.type, c.target) AS key) k
   CROSS JOIN LATERAL (SELECT c.type = 'email' AND EXISTS (
     SELECT FROM users u WHERE lower(u.email) = lower(c.target) AND u.deleted_at IS NULL AND u.status = 'active'
       AND u.tenant_id = NEW.tenant_id) AS known) u
   ORDER BY c.type, k.key
  ON CONFLICT (tenant_id, type, key) DO UPDATE SET
    address = excluded.address, group_id = excluded.group_id, named_at = excluded.named_at,
    confirmed_at = coalesce(a.confirmed_at, excluded.confirmed_at), confirmed_by = coalesce(a.confirmed_by, excluded.confirmed_by),
    request_at = CASE WHEN a.confirmed_at IS NULL AND excluded.confirmed_at IS NULL AND NOT coalesce(a.token_expires_at > NEW.updated_at, false)
      THEN coalesce(a.request_at, NEW.updated_at) END;
  RETURN NULL;
END $$;
CREATE TRIGGER groups_channels_named AFTER INSERT OR UPDATE OF channels ON groups
  FOR EACH ROW WHEN (NEW.channels <> '[]') EXECUTE FUNCTION record_channel_addresses();

-- Keeps one row per webhook of a group: a webhook that is removed and named again gets a new secret.
CREATE FUNCTION record_webhooks() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM webhooks w
   WHERE w.group_id = NEW.id AND NOT NEW.channels @> jsonb_build_array(jsonb_build_object('type', 'webhook', 'target', w.target));
  INSERT INTO webhooks (tenant_id, group_id, key, target, created_at, secret_seed)
  SELECT NEW.tenant_id, NEW.id, channel_address_key(c.type, c.target), c.target, NEW.updated_at, gen_random_uuid()
    FROM jsonb_to_recordset(NEW.channels) AS c (type text, target text)
   WHERE c.type = 'webhook'
  ON CONFLICT DO NOTHING;
  RETURN NULL;
END $$;
CREATE TRIGGER groups_webhooks_named AFTER INSERT OR UPDATE OF channels ON groups
  FOR EACH ROW EXECUTE FUNCTION record_webhooks();

-- A new webhook asks its receiver for confirmation unless the address is confirmed: a request for another webhook was
-- signed with another secret. The address of a deleted webhook is forgotten later. Its row is locked first:
-- when two groups leave it at the same time, the second one sees that none is left.
CREATE FUNCTION record_webhook_address() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    UPDATE channel_addresses SET forget_at = NULL,
           request_at = CASE WHEN confirmed_at IS NULL THEN coalesce(request_at, NEW.created_at) END
     WHERE tenant_id = NEW.tenant_id AND type = 'webhook' AND key = NEW.key
       AND (forget_at IS NOT NULL OR confirmed_at IS NULL);
    RETURN NULL;
  END IF;
  PERFORM FROM channel_addresses WHERE tenant_id = OLD.tenant_id AND type = 'webhook' AND key = OLD.key FOR UPDATE;
  UPDATE channel_addresses a SET request_at = NULL,
         forget_at = now() + CASE WHEN a.confirmed_at IS NULL THEN interval '1 day' ELSE interval '30 days' END
   WHERE a.tenant_id = OLD.tenant_id AND a.type = 'webhook' AND a.key = OLD.key
     AND NOT EXISTS (SELECT FROM webhooks w WHERE w.tenant_id = OLD.tenant_id AND w.key = OLD.key);
  RETURN NULL;
END $$;
CREATE TRIGGER webhooks_address AFTER INSERT OR DELETE ON webhooks
  FOR EACH ROW EXECUTE FUNCTION record_webhook_address();

-- The subscription of a browser ends with the channel of its user.
CREATE FUNCTION forget_browser() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM integrations WHERE id = OLD.target::uuid AND user_id = OLD.user_id;
  RETURN NULL;
END $$;
CREATE TRIGGER user_channels_browser AFTER DELETE ON user_channels
  FOR EACH ROW WHEN (OLD.type = 'integration') EXECUTE FUNCTION forget_browser();

-- Makes messages that wait for a user's next shift be considered again. Triggers do not have the clock of the service,
-- and '-infinity' is always due. Messages are locked in one order, so that two changes of shifts never deadlock.
CREATE FUNCTION consider_deferred() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  the_shift uuid;
  the_group uuid;
  the_user uuid;
BEGIN
  CASE TG_TABLE_NAME
    WHEN 'shifts' THEN the_shift := NEW.id;
    WHEN 'group_shifts' THEN the_shift := NEW.shift_id; the_group := NEW.group_id;
    ELSE the_shift := NEW.shift_id; the_user := NEW.user_id;
  END CASE;
  UPDATE deliveries SET release_at = '-infinity' WHERE id = ANY (ARRAY(
    SELECT d.id FROM group_shifts g JOIN shift_users u ON u.shift_id = g.shift_id
      JOIN deliveries d ON d.user_id = u.user_id AND d.group_id = g.group_id
     WHERE g.shift_id = the_shift AND (the_group IS NULL OR g.group_id = the_group) AND (the_user IS NULL OR u.user_id = the_user)
       AND d.state = 'deferred' AND (d.release_at IS NOT NULL OR d.deferred_until IS NULL) AND d.deferred_by = 'off_shift'
     ORDER BY d.id FOR UPDATE OF d));
  RETURN NULL;
END $$;
CREATE TRIGGER group_shifts_release_deferred AFTER INSERT ON group_shifts
  FOR EACH ROW EXECUTE FUNCTION consider_deferred();
CREATE TRIGGER shift_users_release_deferred AFTER INSERT ON shift_users
  FOR EACH ROW EXECUTE FUNCTION consider_deferred();
CREATE TRIGGER shifts_release_deferred AFTER UPDATE ON shifts
  FOR EACH ROW EXECUTE FUNCTION consider_deferred();

-- Ends the leases of a node that is gone.
CREATE FUNCTION release_deliveries() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  -- A locked row is being claimed by another process.
  UPDATE deliveries SET next_at = claimed_at, claimed_by = NULL WHERE id IN (
    SELECT id FROM deliveries WHERE state = 'pending' AND claimed_by = OLD.id FOR UPDATE SKIP LOCKED);
  RETURN NULL;
END $$;
CREATE TRIGGER broker_nodes_gone AFTER DELETE ON broker_nodes
  FOR EACH ROW EXECUTE FUNCTION release_deliveries();
`;
