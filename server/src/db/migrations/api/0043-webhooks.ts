/** Webhooks of groups as records: API keys list, test and delete them, and give each another secret. */
export const webhooks = `
-- A webhook that a group names, kept by the trigger below. Its secret is derived from "secret_seed", beside group and address; NULL: from
-- these alone, as in earlier versions. Until "former_until" messages are signed with the secret of "former_seed", too.
CREATE TABLE webhooks (
  tenant_id uuid NOT NULL REFERENCES tenants,
  group_id uuid NOT NULL REFERENCES groups ON DELETE CASCADE,
  key bytea NOT NULL,
  target text NOT NULL,
  created_at timestamptz NOT NULL,
  secret_seed uuid,
  former_seed uuid,
  former_until timestamptz,
  tested_at timestamptz,
  PRIMARY KEY (group_id, key),
  CHECK (former_seed IS NULL OR former_until IS NOT NULL)
);
CREATE INDEX webhooks_listed ON webhooks (tenant_id, created_at, group_id, key);

INSERT INTO webhooks (tenant_id, group_id, key, target, created_at)
SELECT g.tenant_id, g.id, channel_address_key(c.type, c.target), c.target, g.created_at
  FROM groups g CROSS JOIN LATERAL jsonb_to_recordset(g.channels) AS c (type text, target text)
 WHERE c.type = 'webhook'
ON CONFLICT DO NOTHING;

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

-- What a receiver is sent to confirm or test its address: the newest says whether messages arrive there.
CREATE INDEX deliveries_checks ON deliveries (queue, id) WHERE type IN ('channel.confirmation', 'webhook.test');
`;
