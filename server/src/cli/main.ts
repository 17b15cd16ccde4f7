import { runCommandLine } from "./run.ts";

process.exitCode = await runCommandLine(process.argv.slice(2));
// What `serve` leaves behind after its drain (a socket in TIME_WAIT, a parser) must not hold the process.
process.exit();
