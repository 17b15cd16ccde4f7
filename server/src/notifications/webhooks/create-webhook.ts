import { adminUseCase, type PreparedChange } from "../../access/access.ts";
import { addMs, HOUR } from "../../lib/clock.ts";
import { alreadyExists, notFound } from "../../lib/request-errors.ts";
import type { NotificationsDeps } from "../deps.ts";
import { readWebhook } from "./view-webhooks.ts";
import { placeOf, webhookId } from "./webhook-id.ts";
import { replaceSeed, type WebhookRow } from "./webhook-list-store.ts";
import { toWebhook, type WebhookRecord } from "./webhook-record.ts";
import { webhookSecret } from "./webhook-secret.ts";
import { hash } from "./webhook-store.ts";

export interface NewWebhook {
  groupId: string;
  url: string;
}

/** A webhook with the new secret for signing its messages (`whsec_…`). */
export interface WebhookWithSecret extends WebhookRecord {
  secret: string;
}

/**
 * Adds a webhook to a group. Its receiver is asked to confirm it, unless the address is already confirmed for the
 * tenant.
 *
 * @throws MusterError invalid_request with the id of an unknown group, or the invalid place, in `detail`;
 *   already_exists with the webhook's id; quota_exceeded
 */
export const createWebhook = adminUseCase(
  { scope: "webhooks:write", role: "admin" },
  "webhook.create",
  async (deps: NotificationsDeps, { tenantId }, input: NewWebhook): Promise<PreparedChange<WebhookWithSecret>> => ({
    change: async (tx) => {
      const { groupId, url } = input;
      const added = await deps.groups.addWebhook(tx, tenantId, input);
      const id = webhookId(groupId, hash(url));
      if (!added) throw alreadyExists("The group already has this webhook.", id);
      const result = withSecret(deps, await readWebhook(tx, tenantId, id));
      return { target: id, after: { groupId, url }, result };
    },
  }),
);

/**
 * Replaces the secret of a webhook. For a day, messages are signed with the former secret as well, so that receivers
 * can switch without missing any. The secret before that one ends immediately.
 *
 * @throws MusterError not_found
 */
export const rotateWebhookSecret = adminUseCase(
  { scope: "webhooks:write", role: "admin" },
  "webhook.rotate",
  async (deps: NotificationsDeps, { tenantId }, id: string): Promise<PreparedChange<WebhookWithSecret>> => ({
    change: async (tx) => {
      const [place, now] = [placeOf(id), deps.clock.now()];
      const formerUntil = addMs(now, deps.limits.formerSecretHours * HOUR);
      const seed = deps.ids.uuid(now);
      if (!place || !(await replaceSeed(tx, tenantId, place, { seed, formerUntil }))) throw notFound("webhook");
      const result = withSecret(deps, await readWebhook(tx, tenantId, id));
      const { groupId, url } = result;
      return { target: id, after: { groupId, url, formerSecretUntil: formerUntil }, result };
    },
  }),
);

function withSecret({ webhookKeys, clock }: NotificationsDeps, row: WebhookRow): WebhookWithSecret {
  const secret = webhookSecret(webhookKeys()[0]!, row.group_id, row.target, row.secret_seed);
  return { ...toWebhook(row, clock.now()), secret };
}
