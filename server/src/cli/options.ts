import { type Command, InvalidArgumentError } from "commander";

// The parsers below are for commander's options and arguments, whose errors it prints. Called from an action, they
// would end the command silently.

const WHOLE_NUMBER = /^-?\d{1,9}$/;

/** Adds a subcommand that takes `--json`. */
export function subcommand(parent: Command, usage: string, description: string): Command {
  return parent.command(usage).description(description).option("--json", "Print one JSON object");
}

/** Adds a subcommand that takes `--json` and a tenant. */
export function tenantSubcommand(parent: Command, usage: string, description: string): Command {
  return subcommand(parent, usage, description).requiredOption("--tenant <slug>", "Slug of the tenant");
}

/** Adds the options of a paged list. @param rows its records in the plural */
export function paged(list: Command, rows: string): Command {
  return list
    .option("--limit <n>", `Number of ${rows}, 1 to 1000`, wholeNumber, 50)
    .option("--skip <n>", `Number of newer ${rows} to skip`, wholeNumber, 0);
}

/** Parses an option's port. */
export function portNumber(value: string): number {
  if (!/^\d{1,5}$/.test(value) || Number(value) > 65_535) throw new InvalidArgumentError("Use a port from 0 to 65535.");
  return Number(value);
}

/** Parses an option's whole number. */
export function wholeNumber(value: string): number {
  if (!WHOLE_NUMBER.test(value)) throw new InvalidArgumentError("Use a whole number.");
  return Number(value);
}

/** Parses the value of a quota; returns `undefined` for `default`. */
export function quotaValue(value: string): number | undefined {
  if (value === "default") return undefined;
  if (!WHOLE_NUMBER.test(value)) throw new InvalidArgumentError("Use a whole number, or default.");
  return Number(value);
}

/** Parses an option's list: `a, b` → `["a", "b"]`. */
export function commaSeparated(value: string): string[] {
  return value.split(",").map((part) => part.trim());
}
