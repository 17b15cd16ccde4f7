import { type ChildProcess, spawn } from "node:child_process";
import { getCompileCacheDir } from "node:module";
import { totalmem } from "node:os";
import { fileURLToPath } from "node:url";
import { childEnvironment } from "../config/config.ts";
import { siblingModule } from "../lib/installed/sibling-module.ts";
import { withTimeout } from "../lib/timeouts.ts";
import type { Role } from "../process/part.ts";
import { heapFlags } from "./heap-limit.ts";
import type { ReadyWorker, ToSupervisor, ToWorker } from "./messages.ts";

const ENTRY = fileURLToPath(siblingModule("child", import.meta.url));
/** The timeout for a worker's metrics. A worker whose event loop is blocked for longer is left out. */
const METRICS_MS = 2_000;

export interface WorkerOptions {
  role: Exclude<Role, "all">;
  /** The name in logs and metrics: `jobs`, `serve-1`. */
  name: string;
  /** The number of processes that serve. */
  workers: number;
  /** Settings that override the environment. */
  settings: Record<string, string>;
  /** Handles the worker's request for a rolling restart. */
  onRestart(worker: Worker): void;
}

/** One process of the service, as seen by the supervisor. */
export class Worker {
  readonly name: string;
  readonly role: Role;
  /** Rejects if the process ends first. */
  readonly ready: Promise<ReadyWorker>;
  /** Resolves with the exit code or signal that ended it. */
  readonly exited: Promise<string>;
  /** Set once it is ready. */
  nodeId: string | undefined;
  readonly #process: ChildProcess;
  readonly #metrics = new Map<number, (metrics: object[]) => void>();
  #nextId = 1;

  constructor({ role, name, workers, settings, ...on }: WorkerOptions) {
    this.name = name;
    this.role = role;
    const cache = getCompileCacheDir();
    const env = childEnvironment({ ...settings, ...(cache === undefined ? {} : { NODE_COMPILE_CACHE: cache }) });
    const given = [...process.execArgv, env.NODE_OPTIONS ?? ""].join(" ");
    const memory = { total: totalmem(), constrained: process.constrainedMemory() };
    const flags = [...process.execArgv, ...heapFlags(workers, memory, given)];
    this.#process = spawn(process.execPath, [...flags, ENTRY, role, name, String(workers)], {
      env,
      stdio: ["ignore", "inherit", "inherit", "ipc"],
    });
    this.exited = new Promise((resolve) => {
      this.#process.once("exit", (code, signal) => resolve(signal ?? `exit code ${code}`));
      this.#process.once("error", (error) => resolve(error.message));
    });
    this.ready = this.#untilReady(on);
    this.ready.catch(() => undefined);
  }

  get pid(): number | undefined {
    return this.#process.pid;
  }

  send(message: ToWorker): void {
    // A worker that is about to end does not receive it.
    if (this.#process.connected) this.#process.send(message, () => undefined);
  }

  /** Returns the worker's metrics, or none if it does not answer. */
  async metrics(): Promise<object[]> {
    if (this.nodeId === undefined) return [];
    const id = this.#nextId++;
    const { promise, resolve } = Promise.withResolvers<object[]>();
    this.#metrics.set(id, resolve);
    this.send({ type: "metrics", id });
    const ended = this.exited.then((): object[] => []);
    return await withTimeout(Promise.race([promise, ended]), METRICS_MS, () => []).finally(() =>
      this.#metrics.delete(id),
    );
  }

  /** Lets the worker finish running work. Resolves when it has ended; after `ms` it is killed. */
  async stop(ms: number): Promise<void> {
    this.#process.kill("SIGTERM");
    await withTimeout(this.exited, ms, () => {
      this.#process.kill("SIGKILL");
      return this.exited;
    });
  }

  #untilReady(on: Pick<WorkerOptions, "onRestart">): Promise<ReadyWorker> {
    return new Promise((resolve, reject) => {
      let problem: string | undefined;
      this.#process.on("message", (message: ToSupervisor) => {
        if (message.type === "ready") {
          this.nodeId = message.nodeId;
          resolve(message);
        } else if (message.type === "failed") problem = message.message;
        else if (message.type === "metrics") this.#metrics.get(message.id)?.(message.metrics);
        else on.onRestart(this);
      });
      void this.exited.then((why) => reject(new Error(problem ?? `the process ${this.name} ended: ${why}`)));
    });
  }
}
