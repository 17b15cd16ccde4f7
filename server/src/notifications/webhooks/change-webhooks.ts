import { adminUseCase, type PreparedChange } from "../../access/access.ts";
import { notFound } from "../../lib/request-errors.ts";
import { requestLink } from "../channels/channel-address-store.ts";
import type { NotificationsDeps } from "../deps.ts";
import { readWebhook } from "./view-webhooks.ts";
import { toWebhook, type WebhookRecord } from "./webhook-record.ts";
import { enableWebhook as enable } from "./webhook-store.ts";

/**
 * Removes a webhook from its group. Nothing more is sent there, not even pending messages. @throws MusterError
 * not_found
 */
export const deleteWebhook = adminUseCase(
  { scope: "webhooks:write", role: "admin" },
  "webhook.delete",
  async ({ groups }: NotificationsDeps, { tenantId }, id: string): Promise<PreparedChange<void>> => ({
    change: async (tx) => {
      const { group_id: groupId, target: url } = await readWebhook(tx, tenantId, id);
      if (!(await groups.removeWebhook(tx, tenantId, { groupId, url }))) throw notFound("webhook");
      return { target: id, before: { groupId, url }, result: undefined };
    },
  }),
);

/** Resumes sending to a webhook that answered 410, in all groups with its address. @throws MusterError not_found */
export const enableWebhook = adminUseCase(
  { scope: "webhooks:write", role: "admin" },
  "webhook.enable",
  async ({ clock }: NotificationsDeps, { tenantId }, id: string): Promise<PreparedChange<WebhookRecord>> => ({
    change: async (tx) => {
      const { group_id: groupId, target: url } = await readWebhook(tx, tenantId, id);
      const unchanged = !(await enable(tx, tenantId, url));
      const result = toWebhook(await readWebhook(tx, tenantId, id), clock.now());
      return { target: id, after: { groupId, url }, result, unchanged };
    },
  }),
);

/**
 * Asks the receiver of an unconfirmed webhook again to confirm it, once the caps on such requests allow it. A confirmed
 * webhook is left unchanged.
 *
 * @throws MusterError not_found
 */
export const requestWebhookConfirmation = adminUseCase(
  { scope: "webhooks:write", role: "admin" },
  "webhook.request",
  async ({ clock }: NotificationsDeps, { tenantId }, id: string): Promise<PreparedChange<WebhookRecord>> => ({
    change: async (tx) => {
      const { group_id: groupId, target: url } = await readWebhook(tx, tenantId, id);
      const unchanged = (await requestLink(tx, tenantId, { groupId, target: url }, clock.now()))?.confirmed;
      if (unchanged === undefined) throw notFound("webhook");
      const result = toWebhook(await readWebhook(tx, tenantId, id), clock.now());
      return { target: id, after: { groupId, url }, result, unchanged };
    },
  }),
);
