/** Links and tests to one e-mail address are counted over all tenants. */
export const mailsToMailboxes = `
CREATE INDEX deliveries_to_mailbox ON deliveries (lower(target), created_at)
  WHERE channel = 'email' AND type IN ('channel.confirmation', 'group.test', 'user.test');
`;
