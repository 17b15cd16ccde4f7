import type { Command } from "commander";
import { subcommand, tenantSubcommand, wholeNumber } from "../options.ts";
import { type Result, table } from "../output.ts";
import { type Exit, send } from "../send.ts";

/** Adds `muster device-type …`. */
export function addDeviceTypes(type: Command, exit: Exit): void {
  addCreation(type, exit);
  addUpdate(type, exit);
  tenantSubcommand(type, "list", "List the device types of a tenant, newest first").action(({ json, ...body }) =>
    send(exit, { name: "device-type.list", body, json, show: listLines }),
  );
}

function addCreation(type: Command, exit: Exit): void {
  tenantSubcommand(type, "create", "Create a device type")
    .requiredOption("--name <text>", "Name of the device type")
    .requiredOption("--topic <template...>", "Topic its devices publish to, such as telemetry/{deviceId} (repeatable)")
    .option("--subscribe <template...>", "Topic its devices may subscribe to (repeatable; default: none)")
    .option("--threshold <id...>", "Id of a threshold pack to evaluate for its devices (repeatable)")
    .option(
      "--silent-for-seconds <n>",
      "Open an anomaly when a device is silent for longer, 1 to 2592000 (default: never)",
      wholeNumber,
    )
    .action(({ json, topic, subscribe, threshold, ...rest }) =>
      send(exit, {
        name: "device-type.create",
        body: { ...rest, publishTopics: topic, subscribeTopics: subscribe, thresholdIds: threshold },
        json,
        show: ({ id, name }) => [`Created device type ${name} (${id}).`],
      }),
    );
}

function addUpdate(type: Command, exit: Exit): void {
  subcommand(type, "update <id>", "Change a device type; topics take effect with a device's next certificate")
    .option("--name <text>", "New name")
    .option("--topic <template...>", "All topics to publish to, replacing the present ones (repeatable)")
    .option("--subscribe <template...>", "All topics to subscribe to, replacing the present ones (repeatable)")
    .option("--threshold <id...>", "Ids of all its threshold packs, replacing the present ones (repeatable)")
    .option("--no-threshold", "Remove all threshold packs")
    .option("--silent-for-seconds <n>", "Open an anomaly when a device is silent for longer", wholeNumber)
    .option("--no-silent-for-seconds", "Open no anomaly for silence")
    .action((id: string, { json, name, topic, subscribe, threshold, silentForSeconds }) =>
      send(exit, {
        name: "device-type.update",
        body: {
          id,
          name,
          publishTopics: topic,
          subscribeTopics: subscribe,
          thresholdIds: threshold === false ? [] : threshold,
          silentForSeconds: silentForSeconds === false ? null : silentForSeconds,
        },
        json,
        show: typeLines,
      }),
    );
}

function typeLines({ name, publishTopics, thresholdIds, silentForSeconds }: Result): string[] {
  return [
    `Updated device type ${name}.`,
    `Publish topics: ${publishTopics.join(", ") || "none"}`,
    `Threshold packs: ${thresholdIds.join(", ") || "none"}`,
    `Anomaly after silence: ${silentForSeconds === null ? "never" : `${silentForSeconds} s`}`,
  ];
}

function listLines({ items }: Result): string[] {
  return table(
    ["ID", "NAME", "PUBLISHES TO", "SUBSCRIBES TO"],
    items.map(({ id, name, publishTopics, subscribeTopics }: Result) => [
      id,
      name,
      publishTopics.join(", ") || "none",
      subscribeTopics.join(", ") || "none",
    ]),
    "No device types.",
  );
}
