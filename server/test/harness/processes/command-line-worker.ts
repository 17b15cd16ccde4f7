/**
 * A process that runs one command line after the other as `bin/muster.mjs` does, without reloading the code.
 * `command-line.ts` starts it, and it ends when its parent disconnects.
 */
import { runCommandLine } from "../../../src/cli/run.ts";
import type { Ran } from "./command-line.ts";

interface Asked {
  args: string[];
  dataDir: string;
  settings?: Record<string, string>;
}

process.on("message", async ({ args, dataDir, settings }: Asked) => {
  const env = { MUSTER_DATA_DIR: dataDir, ...settings };
  Object.assign(process.env, env);
  const [stdout, stderr] = [collect(process.stdout), collect(process.stderr)];
  const code = await runCommandLine(args);
  const ran: Ran = { stdout: stdout(), stderr: stderr(), code };
  for (const name of Object.keys(env)) delete process.env[name];
  process.send!(ran);
});
process.on("disconnect", () => process.exit());
process.send!("ready");

/**
 * Captures the output to `stream`.
 * @returns a function that stops capturing and returns the output
 */
function collect(stream: NodeJS.WriteStream): () => string {
  const { write } = stream;
  let written = "";
  stream.write = (chunk: string | Uint8Array): boolean => {
    written += String(chunk);
    return true;
  };
  return () => {
    stream.write = write;
    return written;
  };
}
