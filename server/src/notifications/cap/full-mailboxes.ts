import type { Db, Tx } from "../../db/database.ts";
import type { ChannelKind } from "../../groups/groups.ts";
import { addMs, DAY } from "../../lib/clock.ts";
import { mailboxOf } from "../../lib/mail/email-address.ts";
import { rateLimited } from "../../lib/request-errors.ts";
import type { NotificationsDeps } from "../deps.ts";
import { countMails, lockMailboxes } from "./mailbox-store.ts";

type Addressed = { channel: ChannelKind; target: string };

/** The number of links that mailboxes may still get today, across all tenants. */
export interface LinkRoom {
  /** Counts one more link to the address. @returns whether there was room for it */
  use(address: string): boolean;
}

/**
 * Locks the mailboxes until the transaction ends. The limit is shared by all tenants that name the same outside
 * mailbox.
 */
export async function linkRoom(
  { limits }: NotificationsDeps,
  tx: Tx,
  addresses: readonly string[],
  now: Date,
): Promise<LinkRoom> {
  const mailboxes = addresses.map(mailboxOf);
  await lockMailboxes(tx, mailboxes);
  const sent = await countMails(tx, "link", mailboxes, addMs(now, -DAY));
  return {
    use(address) {
      const mailbox = mailboxOf(address);
      const links = sent.get(mailbox) ?? 0;
      if (links >= limits.linksToMailbox) return false;
      sent.set(mailbox, links + 1);
      return true;
    },
  };
}

/**
 * Refuses a request for a link that could not be sent today. The error is the same whichever tenants have sent links
 * there, and when.
 *
 * @throws MusterError rate_limited
 */
export async function requireLinkRoom(
  { limits }: NotificationsDeps,
  db: Db,
  address: string,
  now: Date,
): Promise<void> {
  const sent = await countMails(db, "link", [mailboxOf(address)], addMs(now, -DAY));
  if ((sent.get(mailboxOf(address)) ?? 0) >= limits.linksToMailbox)
    throw rateLimited("No further link can be sent to this address today. Try again tomorrow.", DAY / 1_000);
}

/**
 * Leaves out mailboxes that have reached their daily limit of tests, across all tenants, and locks the others until the
 * transaction ends.
 *
 * @throws MusterError rate_limited if no mailbox is left
 */
export async function withoutFullMailboxes<To extends Addressed>(
  { limits }: NotificationsDeps,
  tx: Tx,
  recipients: readonly To[],
  now: Date,
): Promise<To[]> {
  const mailboxes = recipients.filter(({ channel }) => channel === "email").map(({ target }) => mailboxOf(target));
  if (mailboxes.length === 0) return [...recipients];
  await lockMailboxes(tx, mailboxes);
  const sent = await countMails(tx, "test", mailboxes, addMs(now, -DAY));
  const left = recipients.filter(
    ({ channel, target }) => channel !== "email" || (sent.get(mailboxOf(target)) ?? 0) < limits.testsToMailbox,
  );
  if (left.length === 0)
    throw rateLimited("No further test can be sent to these addresses today. Try again tomorrow.", DAY / 1_000);
  return left;
}
