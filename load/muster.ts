import { spawn } from "node:child_process";
import { closeSync, mkdtempSync, openSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sendSubcommand } from "../server/src/control/client.ts";
import type { HttpsTarget } from "./https-client.ts";
import { until } from "./measure.ts";
import type { MqttTarget } from "./mqtt-client.ts";
import { end } from "./processes.ts";

const PROGRAM = join(import.meta.dirname, "../server/bin/muster.mjs");

/** Sends a command to a service's control socket. @throws Error when the service refuses it */
// biome-ignore lint/suspicious/noExplicitAny: each command answers with fields of its own
export type Shell = (name: string, body: object) => Promise<any>;

/** `muster serve` in a process of its own, with the default settings unless the caller sets others. */
export interface MusterProcess {
  readonly pid: number;
  readonly https: HttpsTarget;
  readonly mqtt: MqttTarget;
  readonly metricsUrl: string;
  readonly shell: Shell;
  /** Stops the process; the data folder stays for the next one. */
  stop(): Promise<void>;
}

/** Creates a temporary folder for the service's data. */
export function newDataDir(): { path: string; remove(): void } {
  const path = mkdtempSync(join(tmpdir(), "muster-load-"));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}

/** Starts the service; its log goes to a file `log-…` in its data folder. */
export async function startMuster(
  dataDir: string,
  databaseUrl?: string,
  settings: Record<string, string> = {},
): Promise<MusterProcess> {
  const env = {
    ...process.env,
    MUSTER_DATA_DIR: dataDir,
    MUSTER_HTTP_HOST: "127.0.0.1",
    MUSTER_HTTP_PORT: "0",
    MUSTER_MQTT_HOST: "127.0.0.1",
    MUSTER_MQTT_PORT: "0",
    MUSTER_METRICS_PORT: "0",
    ...(databaseUrl === undefined ? {} : { MUSTER_DATABASE_URL: databaseUrl }),
    ...settings,
  };
  const log = join(dataDir, `log-${Date.now()}`);
  const output = openSync(log, "w");
  const child = spawn(process.execPath, [PROGRAM, "serve"], { env, stdio: ["ignore", output, output] });
  closeSync(output);
  const ready = await until("muster serve", 180, () => {
    if (child.exitCode !== null) throw new Error(`muster serve ended: ${readFileSync(log, "utf8").slice(-2000)}`);
    return readyLine(readFileSync(log, "utf8"));
  }).catch((error) => {
    child.kill("SIGKILL");
    throw error;
  });
  const ca = readFileSync(ready.caFile, "utf8");
  return {
    pid: child.pid!,
    https: { port: Number(new URL(ready.httpUrl).port), ca },
    mqtt: { port: Number(new URL(ready.brokerUrl).port), ca },
    metricsUrl: ready.metricsUrl,
    shell: async (name, body) => {
      const answer = await sendSubcommand(dataDir, name, body);
      if (!answer.ok) throw new Error(`${name}: ${answer.problem.message}`);
      return answer.result;
    },
    stop: () => end(child),
  };
}

interface Ready {
  httpUrl: string;
  brokerUrl: string;
  metricsUrl: string;
  caFile: string;
}

function readyLine(log: string): Ready | undefined {
  const line = log.split("\n").find((each) => each.includes('"msg":"ready"'));
  return line === undefined ? undefined : JSON.parse(line);
}

/** Returns all lines that the processes of a data folder have logged. */
export function logLines(dataDir: string): string[] {
  const files = readdirSync(dataDir).filter((name) => name.startsWith("log-"));
  return files.flatMap((name) => readFileSync(join(dataDir, name), "utf8").split("\n"));
}
