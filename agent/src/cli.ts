import { CommanderError } from "commander";
import { reportFailure } from "./cli/output.ts";
import { program } from "./cli/program.ts";
import { asAgentError } from "./errors.ts";

/**
 * Exit codes: 0 success, 1 refused or failed (the reason is on stderr), 2 invalid command line, 3 the device was
 * revoked while running.
 */
const FAILED = 1;
const USAGE = 2;
const REVOKED = 3;
const OF_CODE: Readonly<Record<string, number>> = { bad_argument: USAGE, revoked: REVOKED };

try {
  await program().parseAsync();
} catch (error) {
  if (error instanceof CommanderError) {
    process.exitCode = error.exitCode === 0 ? 0 : USAGE;
  } else {
    reportFailure(error, process.argv.includes("--json"));
    process.exitCode = OF_CODE[asAgentError(error).code] ?? FAILED;
  }
}
