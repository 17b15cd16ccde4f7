import { AggregatorRegistry, Counter, Gauge, Registry } from "prom-client";
import type { Role } from "../process/part.ts";

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

/** Combines the metrics of all processes into one text, and counts their restarts. */
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

  /** Returns all metrics in the Prometheus text format. */
  async text(): Promise<string> {
    const measured = await Promise.all(
      this.#workers().map(async (worker) => labelled((await worker.metrics()) as Measured[], worker.name)),
    );
    const all = AggregatorRegistry.aggregate([...measured, await this.#registry.getMetricsAsJSON()]);
    return await all.metrics();
  }
}

/**
 * Labels Node's own metrics of a process (memory, CPU, event-loop delay) with the process's name instead of adding them
 * up.
 */
function labelled(metrics: Measured[], worker: string): object[] {
  return metrics.map((metric) => {
    if (!/^(nodejs|process)_/.test(metric.name)) return metric;
    const values = metric.values.map((value) => ({ ...value, labels: { ...value.labels, worker } }));
    return { ...metric, aggregator: "first", values };
  });
}
