import { execFileSync, spawn } from "node:child_process";
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { HttpsTarget } from "../load/https-client.ts";
import type { MqttTarget } from "../load/mqtt-client.ts";
import { until } from "../measure.ts";

const PROGRAM = join(dirname(dirname(import.meta.dirname)), "server/bin/muster.mjs");

/** `muster serve` in a process of its own, with default settings where the row sets none, its log in a file. */
export interface MusterProcess {
  readonly pid: number;
  readonly https: HttpsTarget;
  readonly mqtt: MqttTarget;
  readonly metricsUrl: string;
  /** One shell command, e.g. `command("tenant", "create", "bench", "--name", "Bench")`; its JSON answer. */
  // biome-ignore lint/suspicious/noExplicitAny: each command answers with a shape of its own
  command(...args: string[]): any;
  /** Stops the process; the data folder stays for the next one. */
  stop(): Promise<void>;
}

/** A temporary folder for the service's data. */
export function newDataDir(): { path: string; remove(): void } {
  const path = mkdtempSync(join(tmpdir(), "muster-bench-"));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}

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
  const ready = await until("muster serve", 60, () => {
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
    command: (...args) =>
      JSON.parse(execFileSync(process.execPath, [PROGRAM, ...args, "--json"], { env, encoding: "utf8" })),
    stop: () =>
      new Promise((resolve) => {
        if (child.exitCode !== null || child.signalCode !== null) return resolve();
        child.once("exit", () => resolve());
        child.kill("SIGTERM");
      }),
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
