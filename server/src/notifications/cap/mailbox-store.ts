import { type RawBuilder, sql } from "kysely";
import type { Db, Tx } from "../../db/database.ts";

/** The kinds of unsolicited mail that a mailbox may get: links to confirm an address, and tests. */
export type MailboxKind = "link" | "test";

const TYPES: Record<MailboxKind, RawBuilder<unknown>> = {
  link: sql`d.type = 'channel.confirmation'`,
  test: sql`d.type IN ('group.test', 'user.test')`,
};

/**
 * Locks mailboxes (keys from `mailboxOf`) until the transaction ends, so that counts of their mails are exact. All
 * transactions use the same lock order.
 */
export async function lockMailboxes(tx: Tx, mailboxes: readonly string[]): Promise<void> {
  await sql`
    SELECT pg_advisory_xact_lock(hashtextextended('muster mailbox ' || m.mailbox, 0))
      FROM (SELECT DISTINCT mailbox FROM unnest(${mailboxes}::text[]) AS mailbox ORDER BY 1) m`.execute(tx);
}

/**
 * Counts the mails of a kind that all tenants have sent to each mailbox since `since`. Mailboxes without any are
 * absent.
 */
export async function countMails(
  db: Db,
  kind: MailboxKind,
  mailboxes: readonly string[],
  since: Date,
): Promise<Map<string, number>> {
  const { rows } = await sql<{ mailbox: string; mails: number }>`
    SELECT d.mailbox, count(*)::int AS mails FROM deliveries d
     WHERE d.mailbox = ANY (${mailboxes}::text[]) AND ${TYPES[kind]} AND d.created_at > ${since} GROUP BY 1`.execute(
    db,
  );
  return new Map(rows.map(({ mailbox, mails }) => [mailbox, mails]));
}
