import { adminUseCase, type PreparedChange } from "../../access/access.ts";
import { isUuid } from "../../lib/ids.ts";
import { notFound } from "../../lib/request-errors.ts";
import type { NotificationsDeps } from "../deps.ts";
import { readSigning } from "./signing-store.ts";
import { webhookSecret } from "./webhook-secret.ts";
import { enableWebhook } from "./webhook-store.ts";

/** The information that the receiver of a group's webhook needs. */
export interface WebhookInfo {
  /** The key with which its messages are signed (`whsec_…`). */
  secret: string;
  /** Whether it answered 410, so that nothing more is sent there. */
  disabled: boolean;
}

/**
 * Shows a webhook's secret, any number of times. With `enable`, sending to it resumes.
 *
 * @throws MusterError not_found if the group has no such webhook
 */
export const showWebhook = adminUseCase(
  { scope: "groups:write", role: "admin" },
  "webhook-secret.show",
  async (
    deps: NotificationsDeps,
    caller,
    { groupId, target, enable = false }: { groupId: string; target: string; enable?: boolean | undefined },
  ): Promise<PreparedChange<WebhookInfo>> => ({
    change: async (tx) => {
      if (!isUuid(groupId)) throw notFound("webhook");
      const enabled = enable && (await enableWebhook(tx, caller.tenantId, target));
      const place = { tenant_id: caller.tenantId, group_id: groupId, target };
      const { disabled, seeds } = await readSigning(tx, place, deps.clock.now());
      if (!seeds) throw notFound("webhook");
      const result = { secret: webhookSecret(deps.webhookKeys()[0]!, groupId, target, seeds[0]), disabled };
      return { target: groupId, after: { webhook: target, enabled }, result };
    },
  }),
);
