import { spawn, spawnSync } from "node:child_process";
import { join } from "node:path";

const SCRIPT = join(import.meta.dirname, "../../../docs/quickstarts/shell-agent.sh");
const missing = ["openssl", "curl", "mosquitto_pub"].filter((tool) => spawnSync(tool, ["--help"]).error !== undefined);

/** Why the shell agent cannot run on this machine, or false. */
export const shellSkip: string | false = missing.length === 0 ? false : `needs ${missing.join(", ")}`;

export interface Ended {
  code: number | null;
  out: string;
  err: string;
}

/** Runs a program to its end. */
export function execute(program: string, args: string[], input: string, cwd?: string): Promise<Ended> {
  const child = spawn(program, args, cwd === undefined ? {} : { cwd });
  let out = "";
  let err = "";
  child.stdout.on("data", (chunk) => {
    out += chunk;
  });
  child.stderr.on("data", (chunk) => {
    err += chunk;
  });
  child.stdin.end(input);
  return new Promise((resolve) => child.on("close", (code) => resolve({ code, out, err })));
}

/** Runs docs/quickstarts/shell-agent.sh. */
export const shell = (args: string[], input = ""): Promise<Ended> => execute("sh", [SCRIPT, ...args], input);
