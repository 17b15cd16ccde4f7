import { createHash } from "node:crypto";
import { sql } from "kysely";
import type { Db } from "../../db/database.ts";

/** Returns the key of an address, like the database's `channel_address_key`. */
export const hash = (target: string): Buffer => createHash("sha256").update(target).digest();

/**
 * Fails the pending messages for the groups' webhooks at this address. Nothing is sent there until it is enabled.
 * @returns the number of failed deliveries
 */
export async function disableWebhook(db: Db, tenantId: string, target: string, now: Date): Promise<number> {
  await sql`INSERT INTO disabled_webhooks (tenant_id, target_sha256, target, disabled_at)
    VALUES (${tenantId}, ${hash(target)}, ${target}, ${now}) ON CONFLICT DO NOTHING`.execute(db);
  const { rows } = await sql`
    UPDATE deliveries SET state = 'failed', done_at = ${now}, last_error = 'the webhook is gone (410)'
     WHERE tenant_id = ${tenantId} AND channel = 'webhook' AND target = ${target} AND user_id IS NULL AND state = 'pending'
    RETURNING id`.execute(db);
  return rows.length;
}

/** @returns whether it was disabled */
export async function enableWebhook(db: Db, tenantId: string, target: string): Promise<boolean> {
  const { rows } = await sql`DELETE FROM disabled_webhooks
    WHERE tenant_id = ${tenantId} AND target_sha256 = ${hash(target)} RETURNING target`.execute(db);
  return rows.length > 0;
}

/** Returns the tenants' disabled webhooks, as `<tenant> <target>`. */
export async function disabledWebhooks(db: Db, tenantIds: string[]): Promise<Set<string>> {
  const { rows } = await sql<{ tenant_id: string; target: string }>`
    SELECT tenant_id, target FROM disabled_webhooks WHERE tenant_id = ANY (${tenantIds}::uuid[])`.execute(db);
  return new Set(rows.map((row) => `${row.tenant_id} ${row.target}`));
}

/**
 * Deletes up to `limit` webhook addresses that no group has any more, and their 410 state. @returns the number of
 * addresses
 */
export async function deleteForgotten(db: Db, now: Date, limit: number): Promise<number> {
  const { rows } = await sql`
    WITH old AS (
      DELETE FROM channel_addresses a USING (
        SELECT o.tenant_id, o.type, o.key FROM channel_addresses o
         WHERE o.forget_at < ${now} ORDER BY o.forget_at LIMIT ${limit} FOR UPDATE SKIP LOCKED) o
       WHERE a.tenant_id = o.tenant_id AND a.type = o.type AND a.key = o.key RETURNING a.tenant_id, a.key),
    enabled AS (DELETE FROM disabled_webhooks d USING old WHERE d.tenant_id = old.tenant_id AND d.target_sha256 = old.key)
    SELECT FROM old`.execute(db);
  return rows.length;
}
