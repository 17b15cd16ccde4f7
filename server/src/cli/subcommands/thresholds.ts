import { readFile } from "node:fs/promises";
import type { Command } from "commander";
import { subcommand, tenantSubcommand, wholeNumber } from "../options.ts";
import { count, type Result, table } from "../output.ts";
import { type Exit, send } from "../send.ts";

/** Adds `muster threshold …`. */
export function addThresholdSubcommands(program: Command, exit: Exit): void {
  const threshold = program.command("threshold").description("Manage threshold packs and try them on stored telemetry");
  addViews(threshold, exit);
  addUpdate(threshold, exit);
  addSwitches(threshold, exit);
  addDryRun(threshold, exit);
}

function addViews(threshold: Command, exit: Exit): void {
  tenantSubcommand(threshold, "list", "List the threshold packs of a tenant, newest first")
    .option("--q <text>", "Only packs whose name contains this text")
    .action(({ json, ...body }) =>
      send(exit, {
        name: "threshold.list",
        body,
        json,
        show: ({ items }) => table(["ID", "NAME", "STATE", "RULES"], items.map(listCells), "No threshold packs."),
      }),
    );
  subcommand(threshold, "show <id>", "Show a threshold pack with its rules, revision and assignments").action(
    (id: string, { json }) => send(exit, { name: "threshold.show", body: { id }, json, show: packLines }),
  );
}

const REVISION = ["--revision <n>", "Refuse unless the pack has this revision (see show)", wholeNumber] as const;

function addUpdate(threshold: Command, exit: Exit): void {
  subcommand(threshold, "update <id>", "Change a threshold pack and resolve the anomalies of rules that changed")
    .option("--name <text>", "New name")
    .option("--description <text>", "New description")
    .option("--rules <file>", "JSON file of all its rules, or of a pack as printed by show --json")
    .option(...REVISION)
    .action(async (id: string, { json, rules, ...change }) =>
      send(exit, {
        name: "threshold.update",
        body: { id, ...change, rules: rules && (await readRules(rules)) },
        json,
        show: (pack) => [
          `Updated threshold pack ${pack.name}: revision ${pack.revision}.`,
          ...pack.rules.map(ruleLine),
        ],
      }),
    );
}

function addSwitches(threshold: Command, exit: Exit): void {
  const add = (verb: string, description: string, done: (result: Result) => string): Command =>
    subcommand(threshold, `${verb} <id>`, description)
      .option(...REVISION)
      .action((id: string, { json, ...guard }) =>
        send(exit, { name: `threshold.${verb}`, body: { id, ...guard }, json, show: (result) => [done(result)] }),
      );
  add("enable", "Evaluate the rules of a threshold pack again", ({ name }) => `Enabled threshold pack ${name}.`);
  add(
    "disable",
    "Stop evaluating a threshold pack and resolve its anomalies",
    ({ name }) => `Disabled threshold pack ${name} and resolved its anomalies.`,
  );
  add(
    "delete",
    "Delete a threshold pack and resolve its anomalies",
    ({ id }) => `Deleted threshold pack ${id} and resolved its anomalies.`,
  );
}

function addDryRun(threshold: Command, exit: Exit): void {
  subcommand(threshold, "dry-run <id>", "Show the anomalies that a pack would have opened in stored telemetry")
    .option("--tenant <slug>", "Slug of the tenant (default: the pack's)")
    .option("--device <id>", "Evaluate the telemetry of this device")
    .option("--type <id>", "Evaluate the telemetry of all devices of this type")
    .requiredOption("--from <time>", "First time of the period, such as 2026-11-01T00:00:00Z")
    .requiredOption("--to <time>", "End of the period, exclusive")
    .action((id: string, { json, device, type, ...rest }) =>
      send(exit, {
        name: "threshold.dry-run",
        body: { ...rest, thresholdId: id, deviceId: device, deviceTypeId: type },
        json,
        show: dryRunLines,
      }),
    );
}

/** Reads rules from a file of rules or of a pack. @throws Error if it cannot be read or is not JSON */
async function readRules(file: string): Promise<unknown> {
  const content = await readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => {
    throw new Error(`${file} cannot be read: ${error.code}`);
  });
  const parsed = parse(content, file);
  return parsed !== null && typeof parsed === "object" && "rules" in parsed ? parsed.rules : parsed;
}

function parse(json: string, file: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    throw new Error(`${file} is not JSON; threshold show <id> --json prints a pack in the right form`);
  }
}

function listCells({ id, name, enabled, rules }: Result): string[] {
  return [id, name, enabled ? "enabled" : "disabled", count(rules.length, "rule")];
}

function packLines(pack: Result): string[] {
  const { id, name, description, enabled, revision, rules, devices, deviceTypes, unresolvedAnomalies } = pack;
  return [
    `${name} (${id}), ${enabled ? "enabled" : "disabled"}, revision ${revision}`,
    ...(description === "" ? [] : [description]),
    `Assigned to ${count(devices, "device")} and ${count(deviceTypes, "device type")}; ${count(unresolvedAnomalies, "unresolved anomaly", "unresolved anomalies")}.`,
    ...rules.map(ruleLine),
  ];
}

function ruleLine(rule: Result): string {
  const { id, clearValue, forSeconds, clearForSeconds, severity, message, and = [], or = [] } = rule;
  const conditions = [rule, ...and, ...or].map(conditionText).join(or.length > 0 ? " or " : " and ");
  const lasting = forSeconds > 0 ? ` for ${forSeconds} s` : "";
  const clear = clearValue === null ? "" : `, clear at ${JSON.stringify(clearValue)}`;
  const clearLasting = clearForSeconds > 0 ? ` for ${clearForSeconds} s` : "";
  const text = message === "" ? "" : `: ${message}`;
  return `${id}  ${severity}  ${conditions}${lasting}${clear}${clearLasting}${text}`;
}

function conditionText({ metric, operator, value, measure }: Result): string {
  const measured = measure === undefined ? metric : `${measureText(measure)} of ${metric}`;
  return `${measured} ${operator} ${JSON.stringify(value)}`;
}

function measureText({ kind, overSeconds, per, days }: Result): string {
  if (kind === "deviation") return `deviation (${days} d)`;
  return kind === "age" ? kind : `${kind} in ${overSeconds} s${per === undefined ? "" : ` per ${per}`}`;
}

function dryRunLines({ anomalies, readings, cut }: Result): string[] {
  const total = `${count(anomalies.length, "anomaly", "anomalies")} in ${count(readings, "reading")}`;
  const limited = cut
    ? "; the run stopped at its limit of devices, readings or anomalies: choose a shorter period"
    : "";
  return [...anomalies.map(anomalyLine), `${total}${limited}.`];
}

function anomalyLine({ openedAt, resolvedAt, deviceId, severity, message, occurrences }: Result): string {
  return `${openedAt} to ${resolvedAt ?? "the end of the period"}  ${deviceId}  ${severity}  ${message} (${count(occurrences, "time")})`;
}
