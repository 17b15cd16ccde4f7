import { z } from "zod";
import { command, text } from "../command.ts";

/** Shifts, whose users are named by their email addresses. */
export const shiftCommands = [
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
