import { type ChildProcess, spawn } from "node:child_process";
import { getCompileCacheDir } from "node:module";
import { totalmem } from "node:os";
import { join } from "node:path";
import { childEnvironment } from "../config/config.ts";
import { withTimeout } from "../lib/timeouts.ts";
import { heapFlags } from "./heap-limit.ts";
import type { ReadyWorker, ToSupervisor, ToWorker } from "./messages.ts";
import type { Role } from "./part.ts";

const ENTRY = join(import.meta.dirname, "child.ts");
/** A worker whose event loop stands still for longer is left out of one reading of the metrics. */
const METRICS_MS = 2_000;

export interface WorkerOptions {
  role: Exclude<Role, "all">;
  /** In logs and metrics: `jobs`, `serve-1`. */
  name: string;
  /** How many processes serve. */
  workers: number;
  /** Override the environment. */
  settings: Record<string, string>;
  /** The worker asks for a rolling restart. */
  onRestart(worker: Worker): void;
}

/** One process of the service, as the supervisor sees it. */
export class Worker {
  readonly name: string;
  readonly role: Role;
  /** Rejects where the process ends before. */
  readonly ready: Promise<ReadyWorker>;
  /** Resolves with what ended it: an exit code or a signal. */
  readonly exited: Promise<string>;
  /** Of a ready one. */
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
    // One that is about to end does not get it.
    if (this.#process.connected) this.#process.send(message, () => undefined);
  }

  /** What the worker has measured; nothing where it does not answer. */
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

  /** It finishes running work. Resolves when it has ended; after `ms` it is killed. */
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
