import { type RawBuilder, sql } from "kysely";
import type { Db, Tx } from "../../db/database.ts";

/** What an address gets without having caused it: links to confirm it, and tests. */
export type MailboxKind = "link" | "test";

/** The index `deliveries_to_mailbox` has mails of these types. */
const TYPES: Record<MailboxKind, RawBuilder<unknown>> = {
  link: sql`d.type = 'channel.confirmation'`,
  test: sql`d.type IN ('group.test', 'user.test')`,
};

/** Locks what is sent to mailboxes until the transaction ends, in one order for all transactions, so that counts of them are exact. */
export async function lockMailboxes(tx: Tx, addresses: readonly string[]): Promise<void> {
  await sql`
    SELECT pg_advisory_xact_lock(hashtextextended('muster mailbox ' || m.mailbox, 0))
      FROM (SELECT DISTINCT lower(a.address) AS mailbox FROM unnest(${addresses}::text[]) AS a (address) ORDER BY 1) m`.execute(
    tx,
  );
}

/** How many mails of a kind all tenants have sent to each address since `since`, by the address in lower case; none: no entry. */
export async function countMails(
  db: Db,
  kind: MailboxKind,
  addresses: readonly string[],
  since: Date,
): Promise<Map<string, number>> {
  const { rows } = await sql<{ mailbox: string; mails: number }>`
    SELECT lower(d.target) AS mailbox, count(*)::int AS mails FROM deliveries d
     WHERE d.channel = 'email' AND d.type IN ('channel.confirmation', 'group.test', 'user.test') AND ${TYPES[kind]}
       AND lower(d.target) = ANY (SELECT lower(a.address) FROM unnest(${addresses}::text[]) AS a (address)) AND d.created_at > ${since}
     GROUP BY 1`.execute(db);
  return new Map(rows.map(({ mailbox, mails }) => [mailbox, mails]));
}
