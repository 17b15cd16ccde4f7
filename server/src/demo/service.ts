import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { sendCommand } from "../control/client.ts";
import { withTimeout } from "../lib/timeouts.ts";

const STOP_MS = 20_000;

/** A muster service in a process of its own, as an operator runs it, and its two front doors. */
export interface DemoService {
  readonly baseUrl: string;
  readonly brokerUrl: string;
  readonly dataDir: string;
  /** PEM that verifies the development certificates. */
  readonly ca: string;
  /** What `npx muster <name>` does; throws what the service refuses. */
  command(name: string, body: object): Promise<Record<string, unknown>>;
  /** SIGTERM, then the exit code. */
  stop(): Promise<number | null>;
}

/** Starts `muster serve` on free loopback ports over `dataDir`, whose settings come from here alone. */
export async function startService(env: Record<string, string>, dataDir: string): Promise<DemoService> {
  const launcher = join(import.meta.dirname, "../../bin/muster.mjs");
  const child = spawn(process.execPath, [launcher, "serve"], {
    env: { ...env, MUSTER_DATA_DIR: dataDir },
    stdio: ["ignore", "pipe", "inherit"],
    // A group of its own: Ctrl-C reaches the demo alone, which then stops the service in order.
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
      const answer = await sendCommand(dataDir, name, body);
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
