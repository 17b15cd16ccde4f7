import { z } from "zod";
import { command, text } from "../command.ts";

const instant = z.iso.datetime({ offset: true }).transform((at) => new Date(at));

/** What threshold packs find. */
export const thresholdCommands = [
  command(
    "threshold.dry-run",
    {
      tenant: text,
      thresholdId: text,
      deviceId: text.optional(),
      deviceTypeId: text.optional(),
      from: instant,
      to: instant,
    },
    async ({ access, monitoring }, { tenant, ...request }) =>
      await monitoring.dryRun(await access.systemCaller(tenant), request),
  ),
];
