import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { withTimeout } from "../../../server/src/lib/timeouts.ts";
import { run } from "../run.ts";

/** The command line of an installed Muster, up to its subcommand. */
export interface Installation {
  /** The words before the subcommand, such as `node node_modules/.bin/muster`. */
  command: readonly string[];
  cwd: string;
  env: Record<string, string>;
  /** Returns where a path that the service names is on this machine, if that is not the same. */
  pathOnHost?: (path: string) => string;
}

/** The settings of a service on free ports that nobody else reaches. */
export const ON_FREE_PORTS = {
  MUSTER_HTTP_PORT: "0",
  MUSTER_MQTT_PORT: "0",
  MUSTER_METRICS_PORT: "0",
  MUSTER_HTTP_HOST: "127.0.0.1",
  MUSTER_MQTT_HOST: "127.0.0.1",
};

const START_MS = 60_000;
const STOP_MS = 30_000;

/** The fields of the service's line `"msg":"ready"`. */
export interface Ready {
  httpUrl: string;
  brokerUrl: string;
  metricsUrl: string;
  caFile: string;
  startupMs: number;
}

export interface RunningService extends Ready {
  pid: number;
  /** Sends SIGTERM. @throws Error unless the service ends with 0 */
  stop(): Promise<void>;
}

/** Runs `muster serve` of an installation until it is ready. */
export async function startService(installation: Installation): Promise<RunningService> {
  const [program, ...words] = [...installation.command, "serve"];
  const { cwd, env, pathOnHost = (path: string) => path } = installation;
  const child = spawn(program!, words, { cwd, env, stdio: ["ignore", "pipe", "inherit"], detached: true });
  const ready = await untilReady(child);
  return { ...ready, caFile: pathOnHost(ready.caFile), pid: child.pid!, stop: () => stop(child) };
}

async function untilReady(child: ChildProcess): Promise<Ready> {
  const said: string[] = [];
  const { promise, resolve, reject } = Promise.withResolvers<Ready>();
  createInterface({ input: child.stdout! }).on("line", (line) => {
    said.push(line);
    if (line.includes('"msg":"ready"')) resolve(JSON.parse(line));
  });
  child.once("error", reject);
  child.once("exit", (code) => reject(new Error(`the service ended with ${code}:\n${said.join("\n")}`)));
  return await withTimeout(promise, START_MS, () => {
    child.kill("SIGKILL");
    throw new Error(`the service was not ready after ${START_MS} ms:\n${said.join("\n")}`);
  });
}

async function stop(child: ChildProcess): Promise<void> {
  const exited = once(child, "exit");
  child.kill("SIGTERM");
  const [code, signal] = await withTimeout(exited, STOP_MS, () => {
    child.kill("SIGKILL");
    return exited;
  });
  if (code !== 0) throw new Error(`after SIGTERM the service ended with ${signal ?? code}`);
}

/** Runs a subcommand with `--json` and returns the object that it prints. */
export async function subcommand({ command, cwd, env }: Installation, ...args: string[]) {
  const [program, ...words] = [...command, ...args, "--json"];
  return JSON.parse(await run(program!, words, { cwd, env })) as Record<string, string>;
}
