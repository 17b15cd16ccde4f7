import { z } from "zod";
import { command, text } from "../command.ts";

/** Webhooks of groups; shifts, whose users are named by their email addresses. */
export const groupCommands = [
  command(
    "group.webhook-secret",
    { tenant: text, group: text, target: text, enable: z.boolean().optional() },
    async ({ access, notifications }, { tenant, group, target, enable }) =>
      await notifications.showWebhook(await access.systemCaller(tenant), { groupId: group, target, enable }),
  ),
  command(
    "shift.create",
    {
      tenant: text,
      name: text,
      timeZone: text,
      startTime: text,
      endTime: text,
      daysOfWeek: z.array(text),
      users: z.array(text),
      validFrom: text.optional(),
      validUntil: text.optional(),
    },
    async ({ access, groups }, { tenant, users, ...input }) => {
      const caller = await access.systemCaller(tenant);
      return await groups.createShift(caller, { ...input, userIds: await access.userIdsByEmail(caller, users) });
    },
  ),
];
