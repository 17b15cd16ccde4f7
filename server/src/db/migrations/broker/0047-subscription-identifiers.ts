/** A message keeps the identifiers of the subscriptions for which it was stored (MQTT 5, 3.8.4). */
export const subscriptionIdentifiers = `
ALTER TABLE stored_messages ADD COLUMN subscription_ids integer[] NOT NULL DEFAULT '{}';
`;
