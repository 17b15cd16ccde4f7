import { z } from "zod";
import type { DeliveryRecord } from "../../notifications/notifications.ts";
import { command, text } from "../command.ts";

const MOST = 200;

/** Who is told, by which webhook, and who was. */
export const notificationCommands = [
  command(
    "group.webhook-secret",
    { tenant: text, group: text, target: text, enable: z.boolean().optional() },
    async ({ access, notifications }, { tenant, group, target, enable }) =>
      await notifications.showWebhook(await access.systemCaller(tenant), { groupId: group, target, enable }),
  ),
  command("group.on-call", { tenant: text, id: text }, async ({ access, notifications }, { tenant, id }) =>
    notifications.onCallOfGroup(await access.systemCaller(tenant), id),
  ),
  command("device.on-call", { tenant: text, id: text }, async ({ access, notifications }, { tenant, id }) =>
    notifications.onCallOfDevice(await access.systemCaller(tenant), id),
  ),
  command(
    "notification.list",
    { tenant: text, anomaly: text.optional(), limit: z.number().int().min(1).max(MOST).optional() },
    async ({ access, notifications }, { tenant, anomaly, limit = 20 }) => {
      const which = { limit, ...(anomaly === undefined ? {} : { anomalyId: anomaly }) };
      const rows = await notifications.listDeliveries(await access.systemCaller(tenant), which);
      return { items: rows.map(toItem) };
    },
  ),
];

function toItem({
  user_id,
  group_id,
  anomaly_id,
  created_at,
  next_at,
  done_at,
  last_error,
  digest_id,
  ...rest
}: DeliveryRecord) {
  return {
    ...rest,
    userId: user_id,
    groupId: group_id,
    anomalyId: anomaly_id,
    createdAt: created_at,
    nextAt: next_at,
    doneAt: done_at,
    lastError: last_error,
    digestId: digest_id,
  };
}
