import { z } from "zod";
import { type Subcommand, tenantSubcommand, text } from "../subcommand.ts";

/** The commands for shifts, whose users are named by their e-mail addresses. */
export const shiftSubcommands: readonly Subcommand[] = [
  tenantSubcommand(
    "shift.create",
    {
      name: text,
      timeZone: text,
      startTime: text,
      endTime: text,
      daysOfWeek: z.array(text),
      users: z.array(text),
      validFrom: text.optional(),
      validUntil: text.optional(),
    },
    async ({ access, groups }, caller, { users, ...input }) =>
      groups.createShift(caller, { ...input, userIds: await access.userIdsByEmail(caller, users) }),
  ),
];
