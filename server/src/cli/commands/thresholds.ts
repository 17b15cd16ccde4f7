import type { Command } from "commander";
import { type Answer, type Exit, leaf, send } from "../send.ts";

/** `muster threshold …` */
export function addThresholdCommands(program: Command, exit: Exit): void {
  const threshold = program.command("threshold").description("what threshold packs find");
  leaf(threshold, "dry-run <id>", "what a pack would have found in the telemetry of a period")
    .requiredOption("--tenant <slug>", "the tenant")
    .option("--device <id>", "in the telemetry of this device")
    .option("--type <id>", "in that of all devices of this type")
    .requiredOption("--from <time>", "readings at this time or later, e.g. 2026-11-01T00:00:00Z")
    .requiredOption("--to <time>", "readings before this time")
    .action((id: string, { json, device, type, ...rest }) =>
      send(exit, {
        name: "threshold.dry-run",
        body: { ...rest, thresholdId: id, deviceId: device, deviceTypeId: type },
        json,
        show: ({ anomalies, readings, cut }) => [
          ...anomalies.map(line),
          `${anomalies.length} anomalies in ${readings} readings${cut ? "; there is more than one run looks at" : ""}.`,
        ],
      }),
    );
}

function line({ openedAt, resolvedAt, deviceId, severity, message, occurrences }: Answer): string {
  return `${openedAt} to ${resolvedAt ?? "the end"}  ${deviceId}  ${severity}  ${message} (${occurrences} times)`;
}
