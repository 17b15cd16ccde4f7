import { createMetricsServer, type MetricsServer } from "../api/listener/metrics-server.ts";
import type { Config } from "../config/config.ts";
import { portProblem } from "../config/port-problem.ts";
import { systemClock } from "../lib/clock.ts";
import type { Logger } from "../lib/logger.ts";
import { Backoff } from "./backoff.ts";
import { freePorts } from "./free-ports.ts";
import type { ReadyWorker } from "./messages.ts";
import { Worker, type WorkerOptions } from "./worker.ts";
import { WorkerMetrics } from "./worker-metrics.ts";

/** The time that a worker has to finish running work. It exits earlier by itself unless its event loop is blocked. */
const STOP_MS = 120_000;

/** The slot of one worker: a worker that ends is replaced. */
interface Slot extends Pick<WorkerOptions, "role" | "name"> {
  /** The ready worker. */
  worker: Worker | undefined;
  /** A worker that is not ready yet, and will replace the running one. */
  starting: Worker | undefined;
  backoff: Backoff;
}

export interface ReadyService extends Required<Pick<ReadyWorker, "httpUrl" | "brokerUrl" | "caFile">> {
  metricsUrl: string;
  link: ReadyWorker["link"];
}

/**
 * Runs the service in several processes: one for the jobs, which starts first because it migrates the database, and
 * those that serve. The supervisor itself serves only their metrics.
 */
export class Supervisor {
  readonly #config: Config;
  readonly #logger: Logger;
  readonly #workers: number;
  readonly #jobs: Slot = slot("jobs", "jobs");
  readonly #serve: Slot[];
  readonly #metrics = new WorkerMetrics(() => this.#running());
  /** Nodes of ended processes that the jobs worker has not been notified of yet. */
  readonly #ended = new Set<string>();
  #metricsServer: MetricsServer | undefined;
  #settings: Record<string, string> = {};
  #isStarted = false;
  #isStopping = false;
  #isRestarting = false;

  /** @param workers the number of processes that serve */
  constructor(config: Config, workers: number, logger: Logger) {
    this.#config = config;
    this.#workers = workers;
    this.#logger = logger;
    this.#serve = Array.from({ length: workers }, (_, index) => slot("serve", `serve-${index + 1}`));
  }

  /** @throws {Error} if a process does not start; all are stopped then */
  async start(settings: Record<string, string>): Promise<ReadyService> {
    try {
      const [http, mqtt] = await freePorts([this.#config.http, this.#config.mqtt]);
      this.#settings = { ...settings, MUSTER_HTTP_PORT: String(http), MUSTER_MQTT_PORT: String(mqtt) };
      const { caFile, link } = await this.#fill(this.#jobs);
      const [{ httpUrl, brokerUrl }] = (await Promise.all(this.#serve.map((each) => this.#fill(each)))) as [
        ReadyWorker,
      ];
      const metricsUrl = await this.#serveMetrics();
      this.#isStarted = true;
      for (const each of [this.#jobs, ...this.#serve]) void this.#refill(each);
      return { httpUrl, brokerUrl, caFile: caFile!, metricsUrl, link };
    } catch (error) {
      await this.stop();
      throw portProblem(this.#config, error);
    }
  }

  /** Stops the serving processes, which finish running work, then the one for the jobs. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    await Promise.all(this.#serve.map(stopSlot));
    await stopSlot(this.#jobs);
    await this.#metricsServer?.stop();
  }

  /** Replaces the processes in turn, each once its successor is ready. @returns the number of replaced processes */
  async restart(): Promise<number> {
    if (this.#isRestarting) throw new Error("A rolling restart is running already.");
    this.#isRestarting = true;
    try {
      for (const each of this.#serve) await this.#replace(each);
    } finally {
      this.#isRestarting = false;
    }
    return this.#serve.length;
  }

  async #replace(each: Slot): Promise<void> {
    const old = each.worker;
    await this.#fill(each);
    this.#logger.info({ worker: each.name }, "a new process serves; the old one is finishing its work");
    await old?.stop(STOP_MS);
  }

  /** Starts a process for a slot. Until it is ready, the slot has its old process. */
  async #fill(each: Slot): Promise<ReadyWorker> {
    const { role, name } = each;
    const options = { role, name, workers: this.#workers, settings: this.#settings };
    const worker = new Worker({
      ...options,
      onRestart: (asking) => void this.#restartFor(asking),
    });
    const startedMs = systemClock.monotonicMs();
    each.starting = worker;
    void worker.exited.then((why) => this.#exited(each, worker, why, systemClock.monotonicMs() - startedMs));
    const ready = await worker.ready;
    each.starting = undefined;
    each.worker = worker;
    this.#metrics.running.inc({ role });
    this.#logger.info({ worker: name, pid: worker.pid }, "a process is ready");
    if (role === "jobs") this.#reapEnded();
    return ready;
  }

  #exited(each: Slot, worker: Worker, why: string, ranMs: number): void {
    const wasReplaced = each.starting !== worker && each.worker !== worker;
    if (each.starting === worker) each.starting = undefined;
    if (each.worker === worker) each.worker = undefined;
    if (worker.nodeId !== undefined) {
      this.#metrics.running.dec({ role: each.role });
      this.#ended.add(worker.nodeId);
      this.#reapEnded();
    }
    if (wasReplaced || !this.#isEmpty(each)) return;
    const delayMs = each.backoff.next(ranMs);
    this.#logger.error({ worker: each.name, why, delayMs }, "a process of the service ended; restarting it");
    setTimeout(() => void this.#refill(each), delayMs);
  }

  /** Whether a process must be started for the slot. */
  #isEmpty(each: Slot): boolean {
    return this.#isStarted && !this.#isStopping && !each.worker && !each.starting;
  }

  async #refill(each: Slot): Promise<void> {
    if (!this.#isEmpty(each)) return;
    this.#metrics.restarted(each.role);
    await this.#fill(each).catch((error: Error) =>
      this.#logger.error({ err: error.message }, "a process did not start"),
    );
  }

  /**
   * Reaps ended nodes immediately, so that their devices go offline and no process waits for their acknowledgements.
   */
  #reapEnded(): void {
    const jobs = this.#jobs.worker;
    if (!jobs) return;
    for (const nodeId of this.#ended) jobs.send({ type: "reap", nodeId });
    this.#ended.clear();
  }

  /**
   * Restarts all workers. The process that asked is replaced last, after the answer, as its socket can have only one
   * listener.
   */
  async #restartFor(asking: Worker): Promise<void> {
    try {
      const restarted = await this.restart();
      asking.send({ type: "restarted", restarted: restarted + 1 });
    } catch (error) {
      asking.send({ type: "restarted", restarted: 0, problem: (error as Error).message });
      return;
    }
    const { worker } = this.#jobs;
    this.#jobs.worker = undefined;
    await worker?.stop(STOP_MS);
    if (this.#isEmpty(this.#jobs)) await this.#fill(this.#jobs).catch(() => undefined);
  }

  async #serveMetrics(): Promise<string> {
    this.#metricsServer = createMetricsServer(this.#metrics, this.#config.metrics);
    await this.#metricsServer.start();
    return this.#metricsServer.url;
  }

  #running(): Worker[] {
    return [this.#jobs, ...this.#serve].flatMap(({ worker }) => worker ?? []);
  }
}

function slot(role: WorkerOptions["role"], name: string): Slot {
  return { role, name, worker: undefined, starting: undefined, backoff: new Backoff() };
}

async function stopSlot({ worker, starting }: Slot): Promise<void> {
  await Promise.all([worker?.stop(STOP_MS), starting?.stop(STOP_MS)]);
}
