import { runCommandLine } from "./run.ts";

process.exitCode = await runCommandLine(process.argv.slice(2));
// Handles that outlive the drain of `serve` (a socket in TIME_WAIT, a parser) must not keep the process running.
process.exit();
