import { createHash } from "node:crypto";
import { sql } from "kysely";
import type { Db } from "../../db/database.ts";

const hash = (target: string) => createHash("sha256").update(target).digest();

/** Fails what is pending for the address; nothing is sent there until it is enabled. @returns how many deliveries failed */
export async function disableWebhook(db: Db, tenantId: string, target: string, now: Date): Promise<number> {
  await sql`INSERT INTO disabled_webhooks (tenant_id, target_sha256, target, disabled_at)
    VALUES (${tenantId}, ${hash(target)}, ${target}, ${now}) ON CONFLICT DO NOTHING`.execute(db);
  const { rows } = await sql`
    UPDATE deliveries SET state = 'failed', done_at = ${now}, last_error = 'the webhook is gone (410)'
     WHERE tenant_id = ${tenantId} AND channel = 'webhook' AND target = ${target} AND state = 'pending'
    RETURNING id`.execute(db);
  return rows.length;
}

/** @returns whether it was disabled */
export async function enableWebhook(db: Db, tenantId: string, target: string): Promise<boolean> {
  const { rows } = await sql`DELETE FROM disabled_webhooks
    WHERE tenant_id = ${tenantId} AND target_sha256 = ${hash(target)} RETURNING target`.execute(db);
  return rows.length > 0;
}

/** Which of the tenants' webhooks are disabled, as `<tenant> <target>`. */
export async function disabledWebhooks(db: Db, tenantIds: string[]): Promise<Set<string>> {
  const { rows } = await sql<{ tenant_id: string; target: string }>`
    SELECT tenant_id, target FROM disabled_webhooks WHERE tenant_id = ANY (${tenantIds}::uuid[])`.execute(db);
  return new Set(rows.map((row) => `${row.tenant_id} ${row.target}`));
}
