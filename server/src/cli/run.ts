import { CommanderError } from "commander";
import { ConfigError } from "../config/config.ts";
import { NotRunningError } from "../control/client.ts";
import { isMusterError } from "../lib/errors.ts";
import { createProgram } from "./program.ts";
import { ApiError } from "./remote/api-client.ts";

/** The exit code of wrong usage: an unknown command, a missing option. A failed or refused command exits with 1. */
const USAGE = 2;

/** Runs the command line. Resolves with the exit code. */
export async function runCommandLine(args: string[]): Promise<number> {
  let exitCode = 0;
  const program = createProgram((code) => {
    exitCode = code;
  });
  try {
    await program.parseAsync(args, { from: "user" });
    return exitCode;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : USAGE;
    console.error(`muster: ${explain(error)}`);
    return 1;
  }
}

/** Returns the message of an expected error, or the stack of any other. */
function explain(error: unknown): string {
  if (error instanceof ConfigError || error instanceof NotRunningError || isMusterError(error)) return error.message;
  if (error instanceof ApiError) return error.message;
  if (!(error instanceof Error)) return String(error);
  return error.constructor === Error ? error.message : (error.stack ?? error.message);
}
