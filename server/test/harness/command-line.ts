import { type ChildProcess, fork, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { text } from "node:stream/consumers";

const launcher = join(import.meta.dirname, "../../bin/muster.mjs");

/** What a command wrote, and its exit code. */
export interface Ran {
  stdout: string;
  stderr: string;
  code: number;
}

/**
 * Runs `muster` as a person does, in a process of its own that knows nothing but the data folder.
 *
 * @param settings others that it knows
 * @param command how Node is started
 * @param program of another version, in place of this one's
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

/** The same command line, without its process's start and end: those are most of what a command takes. */
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
