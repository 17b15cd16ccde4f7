/**
 * An own channel that answered 410 ends by itself: what a user names neither enables nor ends the webhook of a group or of another user that
 * has the same address.
 */
export const ownWebhooks = `
-- "disabled_at": when the receiver answered 410. It must confirm the address again before it is used.
ALTER TABLE user_channels ADD COLUMN disabled_at timestamptz CHECK (disabled_at IS NULL OR type = 'webhook');

UPDATE user_channels c SET disabled_at = d.disabled_at
  FROM disabled_webhooks d WHERE c.type = 'webhook' AND d.tenant_id = c.tenant_id AND d.target = c.target;
UPDATE channel_addresses a SET confirmed_at = NULL, confirmed_by = NULL, token_sha256 = NULL, token_expires_at = NULL
  FROM user_channels c WHERE c.disabled_at IS NOT NULL AND a.tenant_id = c.tenant_id AND a.type = c.type AND a.key = c.key;

-- Those that only users named.
DELETE FROM disabled_webhooks d WHERE NOT EXISTS (
  SELECT FROM channel_addresses a WHERE a.tenant_id = d.tenant_id AND a.type = 'webhook' AND a.key = d.target_sha256);
`;
