import { z } from "zod";
import { type Subcommand, tenantSubcommand, text } from "../subcommand.ts";

/** More than the limit on pending commands per device. */
const ALL = 1_000_000;

/** The commands for pending device commands. */
export const waitingSubcommands: readonly Subcommand[] = [
  tenantSubcommand(
    "device.send",
    { id: text, topic: text, payload: z.string(), expiresInMinutes: z.number().optional() },
    async ({ commands, devices }, caller, { id, ...command }) => {
      const sent = await commands.sendCommand(caller, id, command);
      const { certificateState } = await devices.getDevice(caller, id);
      return { ...sent, certificateState };
    },
  ),
  tenantSubcommand("device.commands", { id: text }, async ({ commands }, caller, { id }) => ({
    items: (await commands.listCommands(caller, id, { skip: 0, limit: ALL })).items,
  })),
  tenantSubcommand("device.cancel", { id: text, command: text }, async ({ commands }, caller, { id, command }) => {
    await commands.cancelCommand(caller, id, command);
    return { id, command };
  }),
];
