/** Links and tests are counted per mailbox, whichever spelling of its address they were sent to. */
export const mailboxes = `
-- The key of the mailbox (server/src/lib/mail/email-address.ts) of mails whose number is limited. Dots that a mail service ignores are
-- not folded in rows from before this step; they count for a day.
ALTER TABLE deliveries ADD COLUMN mailbox text;
UPDATE deliveries SET mailbox = regexp_replace(lower(target), '^([^@]+?)[+][^@]*@', '\\1@')
 WHERE channel = 'email' AND type IN ('channel.confirmation', 'group.test', 'user.test');
CREATE INDEX deliveries_of_mailbox ON deliveries (mailbox, created_at) WHERE mailbox IS NOT NULL;
DROP INDEX deliveries_to_mailbox;
`;
