import { runSql } from "./database/run-sql.ts";
import type { TestServer } from "./server.ts";

/** Confirms an address as if its receiver had done so. */
export async function confirmWebhook({ app }: TestServer, url: string): Promise<void> {
  const confirm = `UPDATE channel_addresses SET confirmed_at = named_at, confirmed_by = 'answer', request_at = NULL
    WHERE type = 'webhook' AND address = $1`;
  await runSql(app.database.db, confirm, [url]);
}

/** Disables an address as if it had answered 410. */
export async function disableWebhook({ app }: TestServer, url: string): Promise<void> {
  const disable = `INSERT INTO disabled_webhooks (tenant_id, target_sha256, target, disabled_at)
    SELECT tenant_id, key, address, named_at FROM channel_addresses WHERE type = 'webhook' AND address = $1`;
  await runSql(app.database.db, disable, [url]);
}
/** The keys of the browser in the example of RFC 8291, appendix A. */
export const PUSH_KEYS = {
  p256dh: "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4",
  auth: "BTBZMqHH6r4Tts7J_aSIgg",
};
