import { type Command, InvalidArgumentError } from "commander";

/** Adds a subcommand that takes `--json`. */
export function subcommand(parent: Command, usage: string, description: string): Command {
  return parent.command(usage).description(description).option("--json", "Print one JSON object");
}

/** Adds a subcommand that takes `--json` and the tenant it works on. */
export function tenantSubcommand(parent: Command, usage: string, description: string): Command {
  return subcommand(parent, usage, description).requiredOption("--tenant <slug>", "Slug of the tenant");
}

/** Parses an option's port. */
export function portNumber(value: string): number {
  if (!/^\d{1,5}$/.test(value) || Number(value) > 65_535) throw new InvalidArgumentError("Use a port from 0 to 65535.");
  return Number(value);
}

/** Parses an option's whole number. */
export function wholeNumber(value: string): number {
  if (!/^-?\d{1,9}$/.test(value)) throw new InvalidArgumentError("Use a whole number.");
  return Number(value);
}

/** Parses the value of a quota; `default` is no value. */
export function quotaValue(value: string): number | undefined {
  return value === "default" ? undefined : wholeNumber(value);
}

/** Parses an option's list: `a, b` → `["a", "b"]`. */
export function commaSeparated(value: string): string[] {
  return value.split(",").map((part) => part.trim());
}
