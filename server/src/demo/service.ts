import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { sendSubcommand } from "../control/client.ts";
import { withTimeout } from "../lib/timeouts.ts";

const STOP_MS = 20_000;

/** `muster serve` in a process of its own. */
export interface DemoService {
  readonly baseUrl: string;
  readonly brokerUrl: string;
  readonly dataDir: string;
  /** The PEM certificate that verifies the development certificates. */
  readonly ca: string;
  /** Sends a command as `npx muster` does. @throws Error if the service refuses it */
  command(name: string, body: object): Promise<Record<string, unknown>>;
  /** Sends SIGTERM. Resolves with the exit code. */
  stop(): Promise<number | null>;
}

/** Starts `muster serve` on `dataDir` with only the settings in `env`. */
export async function startService(env: Record<string, string>, dataDir: string): Promise<DemoService> {
  const launcher = join(import.meta.dirname, "../../bin/muster.mjs");
  const child = spawn(process.execPath, [launcher, "serve"], {
    env: { ...env, MUSTER_DATA_DIR: dataDir },
    stdio: ["ignore", "pipe", "inherit"],
    // The child has a process group of its own: the terminal sends Ctrl-C only to the demo, which then stops the
    // service.
    detached: true,
  });
  const ready = await untilReady(child);
  const ca = await readFile(ready.caFile, "utf8");
  return {
    baseUrl: ready.httpUrl,
    brokerUrl: ready.brokerUrl,
    dataDir,
    ca,
    command: async (name, body) => {
      const answer = await sendSubcommand(dataDir, name, body);
      if (!answer.ok) throw new Error(`${name}: ${answer.problem.error}: ${answer.problem.message}`);
      return answer.result;
    },
    stop: () => stop(child),
  };
}

interface Ready {
  msg: string;
  httpUrl: string;
  brokerUrl: string;
  caFile: string;
}

async function untilReady(child: ChildProcess): Promise<Ready> {
  const lines = createInterface({ input: child.stdout! });
  const { promise, resolve, reject } = Promise.withResolvers<Ready>();
  lines.on("line", (line) => {
    if (line.includes('"msg":"ready"')) resolve(JSON.parse(line));
    else if (line.includes('"level":"error"') || line.includes('"level":"fatal"')) console.error(line);
  });
  child.once("error", reject);
  child.once("exit", (code) => reject(new Error(`the service ended with code ${code} before it was ready`)));
  return promise;
}

async function stop(child: ChildProcess): Promise<number | null> {
  if (child.exitCode !== null) return child.exitCode;
  const exited = once(child, "exit");
  child.kill("SIGTERM");
  const [code] = await withTimeout(exited, STOP_MS, () => {
    child.kill("SIGKILL");
    return exited;
  });
  return code;
}
