import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";

/** What the service counts about itself, for Prometheus. Label values come from closed sets, never from a client. */
export interface Metrics {
  /** MQTT sessions open in this process; `kind` is `device` or `client`. */
  readonly connections: Gauge<"kind">;
  /** MQTT connects and publishes refused. */
  readonly refusals: Counter<"reason">;
  /** MQTT messages; `result` is `stored` or `rejected`. */
  readonly messages: Counter<"result">;
  /** Redemptions, renewals and bundles; `result` is `ok` or the error code. */
  readonly enrollments: Counter<"operation" | "result">;
  /** Seconds from a checked request to a signed certificate. */
  readonly signing: Histogram;
  /** Seconds a statement took, also one that failed. */
  readonly database: Histogram;
  /** Seconds from a request's headers to its answer, by route template. */
  readonly http: Histogram<"method" | "route" | "status">;
  readonly contentType: string;
  /** Everything in Prometheus' text format. */
  text(): Promise<string>;
}

const FAST = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];

/** A registry of its own, so that two services in one process (tests) do not meet. Includes the event loop's delay. */
export function createMetrics(): Metrics {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: 20 });
  return {
    connections: new Gauge({ name: "muster_connections", help: "Open MQTT sessions", labelNames: ["kind"], registers }),
    refusals: new Counter({
      name: "muster_refusals_total",
      help: "Refused MQTT connects and publishes",
      labelNames: ["reason"],
      registers,
    }),
    messages: new Counter({ name: "muster_messages_total", help: "MQTT messages", labelNames: ["result"], registers }),
    enrollments: new Counter({
      name: "muster_enrollments_total",
      help: "Redemptions, renewals and bundles",
      labelNames: ["operation", "result"],
      registers,
    }),
    signing: new Histogram({ name: "muster_signing_seconds", help: "Signing a leaf", buckets: FAST, registers }),
    database: new Histogram({ name: "muster_database_seconds", help: "Database statements", buckets: FAST, registers }),
    http: new Histogram({
      name: "muster_http_request_seconds",
      help: "HTTPS requests by route",
      labelNames: ["method", "route", "status"],
      buckets: FAST,
      registers,
    }),
    contentType: registry.contentType,
    text: () => registry.metrics(),
  };
}

/** Runs `work` and records how many seconds it took, also when it fails. */
export async function timed<T>(histogram: Pick<Histogram, "startTimer">, work: () => Promise<T>): Promise<T> {
  const stop = histogram.startTimer();
  try {
    return await work();
  } finally {
    stop();
  }
}
