import { type Command, InvalidArgumentError } from "commander";
import { loadConfig } from "../config/config.ts";
import { sendCommand } from "../control/client.ts";

/** Tells the process its exit code. */
export type Exit = (code: number) => void;

/** An answer of the service; which fields it has is the command's affair. */
// biome-ignore lint/suspicious/noExplicitAny: the socket's answers are JSON, told apart by command name alone
export type Answer = Record<string, any>;

export interface Sending {
  /** The command's name on the control socket. */
  name: string;
  body: object;
  json: boolean | undefined;
  /** The answer for people, a line each. */
  show: (answer: Answer) => string[];
  /** The exit code of an answer; 0 when absent. */
  judge?: (answer: Answer) => number;
}

/** Sends a command to the service of the configured data folder and prints what it answers. */
export async function send(exit: Exit, { name, body, json, show, judge }: Sending): Promise<void> {
  const answer = await sendCommand(loadConfig().dataDir, name, body);
  if (answer.ok) {
    print(answer.result, json, show);
    return exit(judge?.(answer.result) ?? 0);
  }
  const { message, detail } = answer.problem;
  console.error(json ? JSON.stringify(answer.problem) : `muster: ${message}${detail ? ` (${detail})` : ""}`);
  exit(1);
}

/** One JSON object, or lines for people. */
export function print<Result extends object>(
  result: Result,
  json: boolean | undefined,
  show: (result: Result) => string[],
): void {
  console.log(json ? JSON.stringify(result) : show(result).join("\n"));
}

/** Rows as lines of columns; `none` when there are no rows. */
export function columns(rows: string[][], none: string): string[] {
  if (rows.length === 0) return [none];
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column]!))
      .join("  ")
      .trimEnd(),
  );
}

/** `1 rule`, `2 rules`. */
export function count(number: number, one: string, many = `${one}s`): string {
  return `${number} ${number === 1 ? one : many}`;
}

/** Adds a subcommand that takes `--json`. */
export function leaf(parent: Command, usage: string, description: string): Command {
  return parent.command(usage).description(description).option("--json", "print one JSON object");
}

/** Parses an option's port. */
export function portNumber(value: string): number {
  if (!/^\d{1,5}$/.test(value) || Number(value) > 65_535)
    throw new InvalidArgumentError("It must be a port number, 0 to 65535.");
  return Number(value);
}

/** Parses an option's whole number. */
export function wholeNumber(value: string): number {
  if (!/^-?\d{1,9}$/.test(value)) throw new InvalidArgumentError("It must be a whole number.");
  return Number(value);
}
