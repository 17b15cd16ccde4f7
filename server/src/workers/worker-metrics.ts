import { AggregatorRegistry, Counter, Gauge, Registry } from "prom-client";
import type { Role } from "./part.ts";

interface Measured {
  name: string;
  aggregator: string;
  values: { labels: Record<string, string | number> }[];
}

/** A process with metrics of its own. */
export interface MeasuredWorker {
  readonly name: string;
  metrics(): Promise<object[]>;
}

/** The metrics of all processes in one text, and how often they were started. */
export class WorkerMetrics {
  readonly #registry = new Registry();
  readonly contentType = this.#registry.contentType;
  readonly running = new Gauge({
    name: "muster_workers",
    help: "Processes of the service that are ready, by role",
    labelNames: ["role"],
    registers: [this.#registry],
  });
  readonly #restarts = new Counter({
    name: "muster_worker_restarts_total",
    help: "Processes of the service that ended unexpectedly and were started again, by role",
    labelNames: ["role"],
    registers: [this.#registry],
  });
  readonly #workers: () => readonly MeasuredWorker[];

  constructor(workers: () => readonly MeasuredWorker[]) {
    this.#workers = workers;
  }

  restarted(role: Role): void {
    this.#restarts.inc({ role });
  }

  /** All metrics in the text format of Prometheus. */
  async text(): Promise<string> {
    const measured = await Promise.all(
      this.#workers().map(async (worker) => labelled((await worker.metrics()) as Measured[], worker.name)),
    );
    const all = AggregatorRegistry.aggregate([...measured, await this.#registry.getMetricsAsJSON()]);
    return await all.metrics();
  }
}

/** What Node measures of a process (memory, CPU, delay of the event loop) is not added up, but has the name of its process as label. */
function labelled(metrics: Measured[], worker: string): object[] {
  return metrics.map((metric) => {
    if (!/^(nodejs|process)_/.test(metric.name)) return metric;
    const values = metric.values.map((value) => ({ ...value, labels: { ...value.labels, worker } }));
    return { ...metric, aggregator: "first", values };
  });
}
