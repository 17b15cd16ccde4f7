import { allowClosedReader, flushed } from "./flush.ts";
import { runCommandLine } from "./run.ts";

const streams = [process.stdout, process.stderr];
for (const stream of streams) allowClosedReader(stream);
process.exitCode = await runCommandLine(process.argv.slice(2));
// process.exit() discards output that a slow reader of a pipe has not read yet.
await Promise.all(streams.map(flushed));
// Handles that outlive the drain of `serve` (a socket in TIME_WAIT, a parser) must not keep the process running.
process.exit();
