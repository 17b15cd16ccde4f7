import { execFile } from "node:child_process";
import { promisify } from "node:util";

const MOST_OUTPUT = 64 * 1024 * 1024;
const MINUTES = 20;
/** The number of characters at the end of the output that an error contains. */
const SHOWN_LINES = 40;

export interface RunOptions {
  cwd?: string;
  env?: Record<string, string | undefined>;
}

/**
 * Runs a program and returns its output, standard error included.
 *
 * @throws Error with the end of the output if it fails
 */
export async function run(program: string, args: readonly string[], options: RunOptions = {}): Promise<string> {
  const settings = {
    cwd: options.cwd,
    env: { ...process.env, ...options.env },
    maxBuffer: MOST_OUTPUT,
    timeout: MINUTES * 60_000,
  };
  try {
    const { stdout, stderr } = await promisify(execFile)(program, args, settings);
    return stdout + stderr;
  } catch (error) {
    const { stdout = "", stderr = "", message = "" } = error as { stdout?: string; stderr?: string; message?: string };
    const output = `${stdout}${stderr}`.trimEnd().split("\n").slice(-SHOWN_LINES).join("\n");
    throw new Error(`${program} ${args[0] ?? ""}: ${output || message}`, { cause: error });
  }
}
