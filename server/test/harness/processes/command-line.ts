import { type ChildProcess, fork, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { text } from "node:stream/consumers";

const launcher = join(import.meta.dirname, "../../../bin/muster.mjs");

/** The output of a command, and its exit code. */
export interface Ran {
  stdout: string;
  stderr: string;
  code: number;
}

/**
 * Runs `muster` as a person does, in its own process, which knows only the data folder.
 *
 * @param settings additional environment variables
 * @param command how to start Node
 * @param program the program of another version, in place of this one's
 */
export async function musterProcess(
  args: string[],
  dataDir: string,
  settings: Record<string, string> = {},
  command: (...args: string[]) => [string, string[]] = (...all) => [process.execPath, all],
  program = launcher,
): Promise<Ran> {
  const env = { PATH: process.env.PATH, MUSTER_DATA_DIR: dataDir, ...settings };
  const child = spawn(...command(program, ...args), { env, stdio: ["ignore", "pipe", "pipe"] });
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "exit")]);
  return { stdout, stderr, code };
}

/** Runs the same command line without starting a process, which is most of the cost of a command. */
export interface CommandLine {
  run(args: string[], dataDir: string, settings?: Record<string, string>): Promise<Ran>;
  stop(): Promise<void>;
}

export async function startCommandLine(): Promise<CommandLine> {
  const options = { env: { PATH: process.env.PATH }, execArgv: [] };
  const child: ChildProcess = fork(join(import.meta.dirname, "command-line-worker.ts"), options);
  await once(child, "message");
  return {
    run: async (args, dataDir, settings) => {
      const answer = once(child, "message");
      child.send({ args, dataDir, settings });
      return (await answer)[0] as Ran;
    },
    stop: async () => {
      const exit = once(child, "exit");
      child.disconnect();
      await exit;
    },
  };
}
