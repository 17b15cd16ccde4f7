import { adminUseCase, type Caller, type PreparedChange } from "../../access/access.ts";
import { addMs, MINUTE, SECOND } from "../../lib/clock.ts";
import { rateLimited } from "../../lib/request-errors.ts";
import { acceptDeliveries, minuteOf } from "../cap/accept-deliveries.ts";
import type { NewDelivery } from "../delivery/delivery-store.ts";
import type { NotificationsDeps } from "../deps.ts";
import { webhookInactive } from "../errors.ts";
import { readWebhook } from "./view-webhooks.ts";
import { placeOf } from "./webhook-id.ts";
import { recordTest, type WebhookRow } from "./webhook-list-store.ts";
import { toWebhook, type WebhookRecord } from "./webhook-record.ts";

/**
 * Sends a signed test message to a webhook along the same path as pages. The record's `lastCheck` shows the result.
 *
 * @throws MusterError not_found; webhook_inactive; rate_limited within a minute of the last test, or if the tenant's
 *   messages for this minute are used up
 */
export const testWebhook = adminUseCase(
  { scope: "webhooks:write", role: "admin" },
  "webhook.test",
  async (deps: NotificationsDeps, caller, id: string): Promise<PreparedChange<WebhookRecord>> => ({
    change: async (tx) => {
      const { tenantId } = caller;
      const row = await readWebhook(tx, tenantId, id);
      const now = deps.clock.now();
      const { state, groupId, url } = toWebhook(row, now);
      if (state !== "confirmed") throw webhookInactive(state);
      const since = addMs(now, -deps.limits.webhookTestSeconds * SECOND);
      if (!(await recordTest(tx, tenantId, placeOf(id)!, { now, since }))) {
        const { tested_at } = await readWebhook(tx, tenantId, id);
        throw rateLimited("A webhook is tested at most once a minute.", secondsUntil(tested_at, since));
      }
      const message = testMessage(deps, caller, { row, id }, now);
      const suppressed = await acceptDeliveries(deps, tx, [message], now);
      if (suppressed.size > 0)
        throw rateLimited(
          "The tenant has sent as many messages as it may in this minute.",
          secondsUntil(addMs(minuteOf(now), MINUTE), now),
        );
      const result = toWebhook(await readWebhook(tx, tenantId, id), now);
      return { target: id, after: { groupId, url, message: message.id }, result };
    },
  }),
);

/** Returns the whole seconds from `from` to `to`, at least one. */
function secondsUntil(to: Date | null, from: Date): number {
  return Math.max(Math.ceil(((to ?? from).getTime() - from.getTime()) / SECOND), 1);
}

function testMessage(
  { ids }: NotificationsDeps,
  { tenantId, actor }: Caller,
  { row, id }: { row: WebhookRow; id: string },
  now: Date,
): NewDelivery {
  return {
    id: ids.uuid(now),
    tenantId,
    channel: "webhook",
    target: row.target,
    userId: null,
    groupId: row.group_id,
    anomalyId: null,
    message: {
      type: "webhook.test",
      at: now.toISOString(),
      timeZone: "UTC",
      group: { id: row.group_id, name: row.group_name },
      webhook: { id },
      requestedBy: actor,
    },
    dedupe: null,
  };
}
