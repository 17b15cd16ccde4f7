import { createHash } from "node:crypto";
import { sql } from "kysely";
import type { Db, Tx } from "../../db/database.ts";
import type { Owner } from "./own-channel-store.ts";

/**
 * Inserts the subscription of a browser, and deletes the user's former one with the same endpoint. Fires
 * `user_channels_browser`.
 */
export async function insertBrowser(
  tx: Tx,
  { tenantId, userId }: Owner,
  { id, name, sealed, endpoint }: { id: string; name: string; sealed: Buffer; endpoint: string },
  now: Date,
): Promise<void> {
  const settings = JSON.stringify({ endpointSha256: createHash("sha256").update(endpoint).digest("hex") });
  await sql`
    DELETE FROM user_channels c USING integrations i
     WHERE i.user_id = ${userId} AND i.settings = ${settings}::jsonb
       AND c.user_id = i.user_id AND c.type = 'integration' AND c.target = i.id::text`.execute(tx);
  await sql`
    INSERT INTO integrations (id, tenant_id, user_id, type, name, settings, sealed, created_at)
    VALUES (${id}, ${tenantId}, ${userId}, 'web_push', ${name}, ${settings}::jsonb, ${sealed}, ${now})`.execute(tx);
}

/**
 * Deletes the channel of a browser whose push service knows it no more, and fails its pending messages. Fires
 * `user_channels_browser`. @returns the number of failed deliveries
 */
export async function forgetBrowser(db: Db, userId: string, id: string, now: Date): Promise<number> {
  const { rows } = await sql`
    WITH gone AS (DELETE FROM user_channels WHERE user_id = ${userId} AND type = 'integration' AND target = ${id})
    UPDATE deliveries SET state = 'failed', done_at = ${now}, last_error = 'the browser no longer gets notifications'
     WHERE user_id = ${userId} AND channel = 'integration' AND target = ${id} AND state = 'pending'
    RETURNING id`.execute(db);
  return rows.length;
}
