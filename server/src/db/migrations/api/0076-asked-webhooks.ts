/** A webhook that was deleted before its receiver confirmed it, and added again while the link was valid, was never asked. */
export const askedWebhooks = `
-- Every new webhook asks its receiver, unless the address is confirmed: a request that was sent for another webhook was signed with another secret.
CREATE OR REPLACE FUNCTION record_webhook_address() RETURNS trigger LANGUAGE plpgsql AS $$
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
`;
