import { readFile } from "node:fs/promises";
import type { Command } from "commander";
import { type Answer, columns, count, type Exit, leaf, send, wholeNumber } from "../send.ts";

/** `muster threshold …` */
export function addThresholdCommands(program: Command, exit: Exit): void {
  const threshold = program.command("threshold").description("threshold packs, and what they find");
  addThresholdViews(threshold, exit);
  addThresholdChanges(threshold, exit);
  leaf(threshold, "dry-run <id>", "what a pack would have found in the telemetry of a period")
    .option("--tenant <slug>", "the tenant; the pack's when absent")
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
          ...anomalies.map(found),
          `${count(anomalies.length, "anomaly", "anomalies")} in ${count(readings, "reading")}${cut ? "; there is more than one run looks at" : ""}.`,
        ],
      }),
    );
}

function addThresholdViews(threshold: Command, exit: Exit): void {
  leaf(threshold, "list", "every threshold pack of a tenant, newest first")
    .requiredOption("--tenant <slug>", "the tenant")
    .option("--q <text>", "only those with this in their name")
    .action(({ json, ...body }) =>
      send(exit, {
        name: "threshold.list",
        body,
        json,
        show: ({ items }) => columns(items.map(listed), "There are no threshold packs."),
      }),
    );
  leaf(threshold, "show <id>", "a threshold pack with its rules and what hangs on it").action((id: string, { json }) =>
    send(exit, { name: "threshold.show", body: { id }, json, show: shown }),
  );
}

function addThresholdChanges(threshold: Command, exit: Exit): void {
  const revision = ["--revision <n>", "only if it has this revision still, as show says it", wholeNumber] as const;
  leaf(threshold, "update <id>", "change a threshold pack; what its changed rules found is resolved")
    .option("--name <text>", "its new name")
    .option("--description <text>", "its new description")
    .option("--rules <file>", "every rule it has from now: the rules, or a pack, as JSON (as show --json prints it)")
    .option(...revision)
    .action(async (id: string, { json, rules, ...change }) =>
      send(exit, {
        name: "threshold.update",
        body: { id, ...change, rules: rules && (await readRules(rules)) },
        json,
        show: (pack) => [`Threshold pack ${pack.name} has revision ${pack.revision}.`, ...pack.rules.map(line)],
      }),
    );
  for (const [verb, does, done] of [
    ["enable", "let a threshold pack judge again", "judges again"],
    ["disable", "have a threshold pack judge nothing; what it found is resolved", "judges nothing"],
  ]) {
    leaf(threshold, `${verb} <id>`, does!)
      .option(...revision)
      .action((id: string, { json, ...guard }) =>
        send(exit, {
          name: `threshold.${verb}`,
          body: { id, ...guard },
          json,
          show: ({ name }) => [`Threshold pack ${name} ${done}.`],
        }),
      );
  }
  leaf(threshold, "delete <id>", "delete a threshold pack for good; what it found is resolved")
    .option(...revision)
    .action((id: string, { json, ...guard }) =>
      send(exit, {
        name: "threshold.delete",
        body: { id, ...guard },
        json,
        show: () => [`Threshold pack ${id} is deleted.`],
      }),
    );
}

/** The rules in a file of them or of a pack. @throws Error when it cannot be read or is not JSON */
async function readRules(file: string): Promise<unknown> {
  const content = await readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => {
    throw new Error(`${file} cannot be read: ${error.code}`);
  });
  const said = parsed(content, file);
  return said !== null && typeof said === "object" && "rules" in said ? said.rules : said;
}

function parsed(json: string, file: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    throw new Error(`${file} is not JSON`);
  }
}

function listed({ id, name, enabled, rules }: Answer): string[] {
  return [id, name, enabled ? "enabled" : "disabled", count(rules.length, "rule")];
}

function shown(pack: Answer): string[] {
  const { id, name, description, enabled, revision, rules, devices, deviceTypes, unresolvedAnomalies } = pack;
  return [
    `${name} (${id}), ${enabled ? "enabled" : "disabled"}, revision ${revision}`,
    ...(description === "" ? [] : [description]),
    `On ${count(devices, "device")} and ${count(deviceTypes, "device type")}; ${count(unresolvedAnomalies, "unresolved anomaly", "unresolved anomalies")}.`,
    ...rules.map(line),
  ];
}

function line({
  id,
  metric,
  operator,
  value,
  clearValue,
  forSeconds,
  clearForSeconds,
  severity,
  message,
}: Answer): string {
  const lasting = forSeconds > 0 ? ` for ${forSeconds} s` : "";
  const clear = clearValue === null ? "" : `, clear at ${JSON.stringify(clearValue)}`;
  const clearLasting = clearForSeconds > 0 ? ` for ${clearForSeconds} s` : "";
  const text = message === "" ? "" : `: ${message}`;
  return `${id}  ${severity}  ${metric} ${operator} ${JSON.stringify(value)}${lasting}${clear}${clearLasting}${text}`;
}

function found({ openedAt, resolvedAt, deviceId, severity, message, occurrences }: Answer): string {
  return `${openedAt} to ${resolvedAt ?? "the end"}  ${deviceId}  ${severity}  ${message} (${count(occurrences, "time")})`;
}
