import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { COMPILE_ONCE } from "../../../../tools/test-run/v8-flags.ts";
import { sendSubcommand } from "../../../src/control/client.ts";
import type { Confinement } from "./confined.ts";

const launcher = join(import.meta.dirname, "../../../bin/muster.mjs");
const faultyLauncher = join(import.meta.dirname, "faulty-serve.ts");

export interface ProcessOptions {
  /** Starts the process with fault injection, so that {@link ServerProcess.arm} works. */
  faulty?: boolean;
  /** Additional settings. */
  env?: Record<string, string>;
  /** The program of another version, in place of this one's. */
  launcher?: string;
  /** The environment to run in; by default the process runs as this test's user with its rights. */
  confinement?: Confinement | undefined;
}

/** `muster serve` in its own process, which a test may kill without a graceful stop. */
export interface ServerProcess {
  readonly pid: number;
  /** The lines that it has logged so far. */
  readonly log: readonly string[];
  readonly httpUrl: string;
  readonly metricsUrl: string;
  readonly mqttPort: number;
  /** PEM that verifies both listeners. */
  readonly ca: string;
  /**
   * Sends a command to its control socket, as the command line does.
   * @throws Error if the service refuses
   */
  // biome-ignore lint/suspicious/noExplicitAny: each command answers with different fields
  command(name: string, body: object): Promise<any>;
  /** Arms `<point>:kill9|throw|sleep:<ms>|hold` (faulty-serve.ts). */
  arm(fault: string): Promise<void>;
  /** Resolves when a fault that sleeps or holds has been reached. */
  asleep(): Promise<void>;
  /** Releases a fault that holds. */
  release(): void;
  /** Resolves with the exit code when the process has ended; null after a signal. */
  readonly ended: Promise<number | null>;
  /** Ends the process by `signal` and resolves with its exit code, which is null if the signal ended it. */
  end(signal: NodeJS.Signals): Promise<number | null>;
}

/** Starts a service on `dataDir` and free loopback ports, and waits for its ready line. */
export async function startProcess(
  dataDir: string,
  databaseUrl: string | undefined,
  options: ProcessOptions = {},
): Promise<ServerProcess> {
  const env = {
    PATH: process.env.PATH,
    MUSTER_DATA_DIR: dataDir,
    MUSTER_HTTP_HOST: "127.0.0.1",
    MUSTER_HTTP_PORT: "0",
    MUSTER_MQTT_HOST: "127.0.0.1",
    MUSTER_MQTT_PORT: "0",
    MUSTER_METRICS_PORT: "0",
    // These tests end a process, not the machine: power cuts have their own test (power-cut.test.ts).
    MUSTER_EMBEDDED_SYNC: "off",
    ...(databaseUrl ? { MUSTER_DATABASE_URL: databaseUrl } : {}),
    ...options.env,
  };
  const child = options.faulty
    ? spawn(process.execPath, [COMPILE_ONCE, faultyLauncher, "serve"], {
        env,
        stdio: ["ignore", "pipe", "inherit", "ipc"],
      })
    : spawn(...commandOf(options, COMPILE_ONCE, options.launcher ?? launcher, "serve"), {
        env,
        stdio: ["ignore", "pipe", "inherit"],
      });
  const ended = new Promise<number | null>((resolve) => child.once("exit", (code) => resolve(code)));
  const log: string[] = [];
  const ready = await readyLine(child, log);
  return {
    pid: child.pid!,
    log,
    httpUrl: ready.httpUrl,
    metricsUrl: ready.metricsUrl,
    mqttPort: Number(new URL(ready.brokerUrl).port),
    ca: await readFile(ready.caFile, "utf8"),
    command: async (name, body) => {
      const answer = await sendSubcommand(dataDir, name, body);
      if (!answer.ok) throw new Error(`${name}: ${answer.problem.message}`);
      return answer.result;
    },
    arm: async (fault) => {
      const armed = once(child, "message");
      child.send(fault);
      await armed;
    },
    asleep: async () => void (await once(child, "message")),
    release: () => void child.send("release"),
    ended,
    end: (signal) => {
      if (child.exitCode === null && child.signalCode === null) child.kill(signal);
      return ended;
    },
  };
}

function commandOf({ confinement }: ProcessOptions, ...args: string[]): [string, string[]] {
  return confinement ? confinement.command(...args) : [process.execPath, args];
}

/**
 * Returns the fields of the `ready` log line.
 * @throws Error if the process ends without it
 */
async function readyLine(
  child: ChildProcess,
  seen: string[],
): Promise<Record<"httpUrl" | "brokerUrl" | "caFile" | "metricsUrl", string>> {
  return new Promise((resolve, reject) => {
    createInterface({ input: child.stdout! }).on("line", (line) => {
      seen.push(line);
      const entry = JSON.parse(line);
      if (entry.msg === "ready") resolve(entry);
    });
    child.once("exit", (code) => reject(new Error(`the service ended with ${code}: ${seen.slice(-5).join("\n")}`)));
  });
}
