import { sql } from "kysely";
import type { Db, Tx } from "../../db/database.ts";
import { addMs } from "../../lib/clock.ts";
import { EXPIRY_MS } from "../delivery/back-off.ts";
import type { Message } from "../message.ts";

/** Addresses with mail that is due, those that have waited longest first. */
export async function dueAddresses(db: Db, now: Date, limit: number): Promise<string[]> {
  const { rows } = await sql<{ address: string }>`
    SELECT lower(target) AS address FROM deliveries
     WHERE state = 'pending' AND channel = 'email' AND next_at <= ${now} AND created_at >= ${addMs(now, -EXPIRY_MS)}
     GROUP BY lower(target) ORDER BY min(next_at) LIMIT ${limit}`.execute(db);
  return rows.map(({ address }) => address);
}

/** Locks the mails of an address for this transaction. @returns false while another process has them locked */
export async function lockAddress(tx: Tx, address: string): Promise<boolean> {
  const { rows } = await sql<{ locked: boolean }>`
    SELECT pg_try_advisory_xact_lock(hashtextextended(${`muster mail ${address}`}, 0)) AS locked`.execute(tx);
  return rows[0]!.locked;
}

export interface WaitingMail {
  id: string;
  tenant_id: string;
  target: string;
  user_id: string | null;
  maybe_sent: boolean;
  payload: Message;
}

export async function waitingMails(tx: Tx, address: string, now: Date): Promise<WaitingMail[]> {
  const { rows } = await sql<WaitingMail>`
    SELECT id, tenant_id, target, user_id, maybe_sent, payload FROM deliveries
     WHERE lower(target) = ${address} AND state = 'pending' AND channel = 'email' AND next_at <= ${now}
       AND created_at >= ${addMs(now, -EXPIRY_MS)}
     ORDER BY created_at, id`.execute(tx);
  return rows;
}

/**
 * When mails to the address were claimed after `since`, oldest first. A claim at `until` or later was timed by a clock that has been
 * set back since, and does not count.
 */
export async function mailedBetween(tx: Tx, address: string, since: Date, until: Date): Promise<Date[]> {
  const { rows } = await sql<{ claimed_at: Date }>`
    SELECT claimed_at FROM deliveries
     WHERE lower(target) = ${address} AND channel = 'email' AND claimed_at > ${since} AND claimed_at < ${until}
     ORDER BY claimed_at`.execute(tx);
  return rows.map(({ claimed_at }) => claimed_at);
}

/** Ends deliveries whose messages a digest contains. */
export async function foldInto(tx: Tx, digestId: string, ids: string[], now: Date): Promise<void> {
  await sql`UPDATE deliveries SET state = 'digested', done_at = ${now}, digest_id = ${digestId}
    WHERE id = ANY (${ids}::uuid[])`.execute(tx);
}

export async function postpone(tx: Tx, ids: string[], until: Date): Promise<void> {
  if (ids.length > 0) await sql`UPDATE deliveries SET next_at = ${until} WHERE id = ANY (${ids}::uuid[])`.execute(tx);
}
