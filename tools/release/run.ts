import { execFile } from "node:child_process";
import { promisify } from "node:util";

export interface RunOptions {
  cwd: string;
  env?: NodeJS.ProcessEnv;
}

/** The largest output of a program that is read; builds print little, lists of packages some megabytes. */
const MOST_OUTPUT_BYTES = 64 * 1024 * 1024;

/**
 * Runs a program and returns its standard output.
 * @throws Error with the program's whole output if it fails
 */
export async function run(program: string, args: readonly string[], { cwd, env = process.env }: RunOptions) {
  try {
    const { stdout } = await promisify(execFile)(program, args, { cwd, env, maxBuffer: MOST_OUTPUT_BYTES });
    return stdout;
  } catch (error) {
    const { message, stdout = "", stderr = "" } = error as Error & { stdout?: string; stderr?: string };
    throw new Error(stderr === "" && stdout === "" ? message : `${program} ${args.join(" ")}:\n${stdout}${stderr}`);
  }
}
