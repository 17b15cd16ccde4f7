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
  /** MQTT messages of this process that wait for their commit. */
  readonly telemetryWaiting: Gauge;
  /** Attempts to deliver a notification; `result` is `sent`, `retried` (it failed and waits) or `failed` (for good). */
  readonly notifications: Counter<"channel" | "result">;
  /** Steps of escalation; `result` is `paged`, `nobody`, `stopped` or `late`. */
  readonly pages: Counter<"result">;
  /** Notifications that have not arrived yet, of all processes. */
  readonly notificationsWaiting: Gauge<"channel">;
  /** The age of the oldest of them. */
  readonly notificationsOldest: Gauge<"channel">;
  /** Unresolved anomalies of the whole database. */
  readonly anomalies: Gauge<"severity">;
  /** Hours of devices whose roll-ups are due, of the whole database. */
  readonly rollUpsDue: Gauge;
  /** Has `read` set gauges whenever somebody asks for the text; those it cannot set are to be reset. */
  beforeText(read: () => Promise<void>): void;
  readonly contentType: string;
  /** Everything in Prometheus' text format. */
  text(): Promise<string>;
}

const FAST = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];

/** A registry of its own, so that two services in one process (tests) do not meet. Includes the event loop's delay. */
export function createMetrics(): Metrics {
  const registry = new Registry();
  const registers = [registry];
  const reads: (() => Promise<void>)[] = [];
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
    ...ofMonitoring(registers),
    beforeText: (read) => void reads.push(read),
    contentType: registry.contentType,
    text: async () => {
      await Promise.allSettled(reads.map((read) => read()));
      return await registry.metrics();
    },
  };
}

/** From a message to whoever is told. What is `of all processes` is asked of the database, so every process says the same. */
function ofMonitoring(registers: Registry[]) {
  return {
    telemetryWaiting: new Gauge({
      name: "muster_telemetry_waiting",
      help: "Messages waiting for their commit",
      registers,
    }),
    notifications: new Counter({
      name: "muster_notifications_total",
      help: "Attempts to deliver a notification",
      labelNames: ["channel", "result"],
      registers,
    }),
    pages: new Counter({ name: "muster_pages_total", help: "Steps of escalation", labelNames: ["result"], registers }),
    notificationsWaiting: new Gauge({
      name: "muster_notifications_waiting",
      help: "Notifications that have not arrived yet, of all processes",
      labelNames: ["channel"],
      registers,
    }),
    notificationsOldest: new Gauge({
      name: "muster_notifications_oldest_seconds",
      help: "Age of the oldest notification that has not arrived yet, of all processes",
      labelNames: ["channel"],
      registers,
    }),
    anomalies: new Gauge({
      name: "muster_anomalies_unresolved",
      help: "Unresolved anomalies, of all processes",
      labelNames: ["severity"],
      registers,
    }),
    rollUpsDue: new Gauge({
      name: "muster_roll_ups_due",
      help: "Hours of devices whose roll-ups are due, of all processes",
      registers,
    }),
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
