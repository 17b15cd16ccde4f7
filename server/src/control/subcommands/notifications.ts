import { z } from "zod";
import type { ChannelRecord } from "../../notifications/notifications.ts";
import { type Subcommand, tenantSubcommand, text } from "../subcommand.ts";

/** The maximum number of deliveries in one answer. */
const MAX_DELIVERIES = 200;

/** The commands for webhook secrets, channels, on-call users and sent notifications. */
export const notificationSubcommands: readonly Subcommand[] = [
  tenantSubcommand(
    "group.webhook-secret",
    { group: text, target: text, enable: z.boolean().optional() },
    ({ notifications }, caller, { group, target, enable }) =>
      notifications.showWebhook(caller, { groupId: group, target, enable }),
  ),
  tenantSubcommand("channel.list", {}, async ({ notifications }, caller) => ({
    items: (await notifications.listChannels(caller)).map(toChannel),
  })),
  tenantSubcommand("channel.request", { group: text, target: text }, ({ notifications }, caller, { group, target }) =>
    notifications.requestConfirmation(caller, { groupId: group, target }),
  ),
  tenantSubcommand("group.on-call", { id: text }, ({ notifications }, caller, { id }) =>
    notifications.onCallOfGroup(caller, id),
  ),
  tenantSubcommand("device.on-call", { id: text }, ({ notifications }, caller, { id }) =>
    notifications.onCallOfDevice(caller, id),
  ),
  tenantSubcommand(
    "notification.list",
    { anomaly: text.optional(), limit: z.int().min(1).max(MAX_DELIVERIES).optional() },
    async ({ notifications }, caller, { anomaly, limit = 20 }) => {
      const query = { anomalyId: anomaly, skip: 0, limit, countAhead: 0 };
      return { items: (await notifications.listDeliveries(caller, query)).items };
    },
  ),
];

function toChannel(channel: ChannelRecord) {
  const { named_at, requested_at, request_at, expires_at, confirmed_at, confirmed_by, ...rest } = channel;
  return {
    ...rest,
    namedAt: named_at,
    requestedAt: requested_at,
    requestAt: request_at,
    linkExpiresAt: expires_at,
    confirmedAt: confirmed_at,
    confirmedBy: confirmed_by,
  };
}
