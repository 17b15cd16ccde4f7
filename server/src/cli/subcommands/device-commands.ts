import type { Command } from "commander";
import { tenantSubcommand, wholeNumber } from "../options.ts";
import { escaped, type Result, table } from "../output.ts";
import { type Exit, send } from "../send.ts";

/** The number of payload characters that a line shows. */
const PAYLOAD_CHARACTERS = 80;

/** Adds `muster device send | commands | cancel`. */
export function addWaitingSubcommands(device: Command, exit: Exit): void {
  tenantSubcommand(device, "send <id>", "Send a command to a device, now or when it next connects")
    .requiredOption("--topic <topic>", "Full topic, t/<slug>/…, listed for subscriptions by the device's type")
    .requiredOption("--payload <text>", "Text to send")
    .option("--expires-in-minutes <n>", "Minutes to wait for the device, 1 to 10080 (default: one day)", wholeNumber)
    .action((id: string, { json, ...body }) =>
      send(exit, {
        name: "device.send",
        body: { ...body, id },
        json,
        show: (sent) => [
          `Queued command ${sent.id} for device ${id}. It expires at ${sent.expiresAt}.`,
          ...warning(sent),
        ],
      }),
    );
  tenantSubcommand(
    device,
    "commands <id>",
    "List the commands that a device has not acknowledged, oldest first",
  ).action((id: string, { json, tenant }) =>
    send(exit, {
      name: "device.commands",
      body: { tenant, id },
      json,
      show: ({ items }) => table(HEAD, items.map(cells), "No commands are waiting."),
    }),
  );
  tenantSubcommand(device, "cancel <id> <command-id>", "Cancel a waiting command of a device").action(
    (id: string, command: string, { json, tenant }) =>
      send(exit, {
        name: "device.cancel",
        body: { tenant, id, command },
        json,
        show: () => [`Cancelled command ${command} for device ${id}. If it was sent, the device may have received it.`],
      }),
  );
}

const HEAD = ["ID", "TOPIC", "PAYLOAD", "SENT", "EXPIRES"];

/** Warns if the device has no certificate with which it can connect. */
function warning({ deviceId, certificateState: state }: Result): string[] {
  if (!CANNOT_CONNECT.has(state)) return [];
  const has = state === "none" ? "no certificate" : `no valid certificate (${state})`;
  return [
    `WARNING: device ${deviceId} has ${has}, so it cannot connect: it gets the command only if it obtains one before then.`,
  ];
}

const CANNOT_CONNECT = new Set(["none", "expired", "revoked"]);

function cells({ id, topic, payload, createdAt, expiresAt }: Result): string[] {
  const text = String(payload);
  const shown = text.length > PAYLOAD_CHARACTERS ? `${text.slice(0, PAYLOAD_CHARACTERS)}…` : text;
  return [id, topic, escaped(JSON.stringify(shown)), createdAt, expiresAt];
}
