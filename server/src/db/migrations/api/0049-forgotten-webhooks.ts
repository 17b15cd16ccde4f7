/** API keys add and delete webhooks as often as they may send requests: addresses that no group has any more must be deleted at some time. */
export const forgottenWebhooks = `
-- When the address of a webhook is deleted because no group names it: until then links to it count, and its confirmation holds.
ALTER TABLE channel_addresses ADD COLUMN forget_at timestamptz;
CREATE INDEX channel_addresses_forgotten ON channel_addresses (forget_at) WHERE forget_at IS NOT NULL;
CREATE INDEX webhooks_of_address ON webhooks (tenant_id, key);

-- The lock lets two groups that name and leave one address at once take turns: each sees what the other has done.
CREATE FUNCTION record_webhook_address() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    UPDATE channel_addresses SET forget_at = NULL
     WHERE tenant_id = NEW.tenant_id AND type = 'webhook' AND key = NEW.key AND forget_at IS NOT NULL;
    RETURN NULL;
  END IF;
  PERFORM FROM channel_addresses WHERE tenant_id = OLD.tenant_id AND type = 'webhook' AND key = OLD.key FOR UPDATE;
  UPDATE channel_addresses a SET request_at = NULL,
         forget_at = now() + CASE WHEN a.confirmed_at IS NULL THEN interval '1 day' ELSE interval '30 days' END
   WHERE a.tenant_id = OLD.tenant_id AND a.type = 'webhook' AND a.key = OLD.key
     AND NOT EXISTS (SELECT FROM webhooks w WHERE w.tenant_id = OLD.tenant_id AND w.key = OLD.key);
  RETURN NULL;
END $$;
CREATE TRIGGER webhooks_address AFTER INSERT OR DELETE ON webhooks FOR EACH ROW EXECUTE FUNCTION record_webhook_address();

UPDATE channel_addresses a SET request_at = NULL, forget_at = now() + interval '30 days'
 WHERE a.type = 'webhook' AND a.user_id IS NULL
   AND NOT EXISTS (SELECT FROM webhooks w WHERE w.tenant_id = a.tenant_id AND w.key = a.key);
`;
