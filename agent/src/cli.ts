import { CommanderError } from "commander";
import { reportFailure } from "./cli/output.ts";
import { program } from "./cli/program.ts";
import { asAgentError } from "./errors.ts";

/** Exit codes: 0 done, 1 refused or failed (the reason is on stderr), 2 the command line was wrong. */
const FAILED = 1;
const USAGE = 2;

try {
  await program().parseAsync();
} catch (error) {
  if (error instanceof CommanderError) {
    process.exitCode = error.exitCode === 0 ? 0 : USAGE;
  } else {
    reportFailure(error, process.argv.includes("--json"));
    process.exitCode = asAgentError(error).code === "bad_argument" ? USAGE : FAILED;
  }
}
