import { sql } from "kysely";
import type { Db } from "../../db/database.ts";
import type { ChannelKind } from "../../groups/groups.ts";

/**
 * Fails up to `limit` deliveries that have been pending since before `before`, since a page that late is useless. Uses
 * the index `deliveries_expiring`.
 *
 * @returns the channel of each
 */
export async function expireDeliveries(
  db: Db,
  { before, now, error, limit }: { before: Date; now: Date; error: string; limit: number },
): Promise<ChannelKind[]> {
  const { rows } = await sql<{ channel: ChannelKind }>`
    UPDATE deliveries SET state = 'failed', done_at = ${now}, last_error = coalesce(last_error, ${error})
     WHERE id = ANY (ARRAY(
       SELECT id FROM deliveries WHERE done_at IS NULL AND created_at < ${before} AND next_at <= ${now}
        ORDER BY created_at LIMIT ${limit} FOR UPDATE SKIP LOCKED))
    RETURNING channel`.execute(db);
  return rows.map(({ channel }) => channel);
}

/**
 * Deletes up to `limit` finished deliveries from before `before`, with their attempts.
 *
 * @returns the number of deliveries
 */
export async function deleteDeliveries(db: Db, before: Date, limit: number): Promise<number> {
  const { rows } = await sql`
    DELETE FROM deliveries WHERE id = ANY (ARRAY(
      SELECT id FROM deliveries WHERE created_at < ${before} AND state <> 'pending' ORDER BY created_at LIMIT ${limit}))
    RETURNING 1`.execute(db);
  return rows.length;
}
