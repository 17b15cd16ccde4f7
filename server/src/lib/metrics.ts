import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import { type BusMetrics, busMetrics } from "./metrics/bus-metrics.ts";
import { type DatabaseMetrics, databaseMetrics } from "./metrics/database-metrics.ts";
import { type NodeMetrics, nodeMetrics } from "./metrics/node-metrics.ts";
import { type IngestStreamMetrics, ingestStreamMetrics } from "./metrics/stream-metrics.ts";

/** Metrics of the service for Prometheus. Label values come from closed sets, never from a client. */
export interface Metrics extends BusMetrics, DatabaseMetrics, IngestStreamMetrics, NodeMetrics {
  /** Open MQTT sessions of this process; `kind` is `device` or `client`. */
  readonly connections: Gauge<"kind">;
  /** Connections closed because a cap on them was reached; `listener` is `mqtt` or `https`. */
  readonly connectionsClosed: Counter<"listener" | "cap">;
  /** Messages that had no room in the stored sessions for which they were meant. */
  readonly storedMessagesRefused: Counter;
  /** Refused MQTT connects and publishes. */
  readonly refusals: Counter<"reason">;
  /** MQTT messages of devices; `result` is `stored` or `rejected`. */
  readonly messages: Counter<"result">;
  /** Rejected messages of devices; `reason` is a `RejectionCause` of telemetry. */
  readonly messagesRejected: Counter<"reason">;
  /** Batches that were divided in search of a message which the database refused (`refused`) or did not store in time (`timed_out`). */
  readonly batchesBisected: Counter<"cause">;
  /** Redemptions, renewals and bundles; `result` is `ok` or the error code. */
  readonly enrollments: Counter<"operation" | "result">;
  /** Seconds from a validated request to a signed certificate. */
  readonly signing: Histogram;
  /** Seconds that a statement or a batch of statements took, also one that failed. */
  readonly database: Histogram;
  /** Seconds from the headers of a request to its answer, by route template. */
  readonly http: Histogram<"method" | "route" | "status">;
  /** MQTT messages that this process has received and not yet committed. */
  readonly telemetryWaiting: Gauge;
  /** Tenants whose messages this process stores apart from those of other tenants. */
  readonly tenantsIsolated: Gauge;
  /** Attempts to deliver a notification; `result` is `sent`, `retried` (failed, to be repeated) or `failed` (given up). */
  readonly notifications: Counter<"channel" | "result">;
  /** Escalation steps that became due; `result` is `paged`, `nobody`, `deferred`, `stopped` or `late` (docs/operations/metrics.md). */
  readonly pages: Counter<"result">;
  /** Undelivered notifications, of all processes. */
  readonly notificationsWaiting: Gauge<"channel">;
  /** Seconds since the oldest undelivered notification was created, of all processes. */
  readonly notificationsOldest: Gauge<"channel">;
  /** Links by which receivers confirm channels; `result` is `requested`, `confirmed` or `postponed` (a cap on links). */
  readonly confirmations: Counter<"result">;
  /** Webhook targets that this process calls less often, because they failed several times in a row. */
  readonly webhookTargetsPaused: Gauge;
  /** Unresolved anomalies, of all processes. */
  readonly anomalies: Gauge<"severity">;
  /** Devices with a live certificate while a new server root is rolled out, of all processes; `state` is `trusting` or `missing`. */
  readonly serverRootDevices: Gauge<"state">;
  /** Device hours whose roll-up is not computed yet, of all processes. */
  readonly rollUpsDue: Gauge;
  readonly rollUpsFailed: Gauge;
  /** Requests refused because a tenant has reached a quota. */
  readonly quotaRefusals: Counter<"quota">;
  /** Of each quota the greatest share that a tenant uses, of all processes; 1 is reached. */
  readonly quotaUse: Gauge<"quota">;
  /** Calls `read` before every scrape, to set gauges. `read` removes the gauges that it cannot set. */
  beforeScrape(read: () => Promise<void>): void;
  readonly contentType: string;
  /** All metrics in the text format of Prometheus. */
  text(): Promise<string>;
  /** The same for a process that adds up those of several. */
  json(): Promise<object[]>;
}

const FAST = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];

/** Each call makes a registry, so that two services in one process (tests) count apart. Includes the delay of the event loop. */
export function createMetrics(): Metrics {
  const registry = new Registry();
  const registers = [registry];
  const reads: (() => Promise<void>)[] = [];
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: 20 });
  return {
    ...connectionMetrics(registers),
    messages: new Counter({
      name: "muster_messages_total",
      help: "MQTT messages of devices, by result",
      labelNames: ["result"],
      registers,
    }),
    enrollments: new Counter({
      name: "muster_enrollments_total",
      help: "Redemptions, renewals and bundles, by result",
      labelNames: ["operation", "result"],
      registers,
    }),
    signing: new Histogram({
      name: "muster_signing_seconds",
      help: "Time to sign a device certificate",
      buckets: FAST,
      registers,
    }),
    database: new Histogram({
      name: "muster_database_seconds",
      help: "Time of database statements",
      buckets: FAST,
      registers,
    }),
    http: new Histogram({
      name: "muster_http_request_seconds",
      help: "Time to answer an HTTPS request, by route",
      labelNames: ["method", "route", "status"],
      buckets: FAST,
      registers,
    }),
    ...databaseMetrics(registers),
    ...telemetryMetrics(registers),
    ...notificationMetrics(registers),
    ...monitoringMetrics(registers),
    ...quotaMetrics(registers),
    beforeScrape: (read) => void reads.push(read),
    contentType: registry.contentType,
    text: async () => {
      await Promise.allSettled(reads.map((read) => read()));
      return await registry.metrics();
    },
    json: async () => {
      await Promise.allSettled(reads.map((read) => read()));
      return await registry.getMetricsAsJSON();
    },
  };
}

function connectionMetrics(registers: Registry[]) {
  return {
    connections: new Gauge({
      name: "muster_connections",
      help: "Open MQTT sessions of this process",
      labelNames: ["kind"],
      registers,
    }),
    connectionsClosed: new Counter({
      name: "muster_connections_closed_total",
      help: "Connections closed, or CONNECTs refused, because a cap on them was reached",
      labelNames: ["listener", "cap"],
      registers,
    }),
    storedMessagesRefused: new Counter({
      name: "muster_stored_messages_refused_total",
      help: "Messages that had no room in the stored sessions for which they were meant",
      registers,
    }),
    ...busMetrics(registers),
    ...ingestStreamMetrics(registers),
    ...nodeMetrics(registers),
    refusals: new Counter({
      name: "muster_refusals_total",
      help: "Refused MQTT connects and publishes, by reason",
      labelNames: ["reason"],
      registers,
    }),
  };
}

function telemetryMetrics(registers: Registry[]) {
  return {
    messagesRejected: new Counter({
      name: "muster_messages_rejected_total",
      help: "Rejected MQTT messages of devices, by reason",
      labelNames: ["reason"],
      registers,
    }),
    batchesBisected: new Counter({
      name: "muster_batches_bisected_total",
      help: "Batches of telemetry that were divided in search of a message at fault",
      labelNames: ["cause"],
      registers,
    }),
    tenantsIsolated: new Gauge({
      name: "muster_tenants_isolated",
      help: "Tenants whose telemetry is stored apart because their batches were slow or failed",
      registers,
    }),
    telemetryWaiting: new Gauge({
      name: "muster_telemetry_waiting",
      help: "MQTT messages received and not yet committed",
      registers,
    }),
  };
}

function notificationMetrics(registers: Registry[]) {
  return {
    notifications: new Counter({
      name: "muster_notifications_total",
      help: "Attempts to deliver a notification, by result",
      labelNames: ["channel", "result"],
      registers,
    }),
    pages: new Counter({
      name: "muster_pages_total",
      help: "Escalation steps that became due, by result",
      labelNames: ["result"],
      registers,
    }),
    notificationsWaiting: new Gauge({
      name: "muster_notifications_waiting",
      aggregator: "max",
      help: "Undelivered notifications, of all processes",
      labelNames: ["channel"],
      registers,
    }),
    notificationsOldest: new Gauge({
      name: "muster_notifications_oldest_seconds",
      aggregator: "max",
      help: "Age of the oldest undelivered notification, of all processes",
      labelNames: ["channel"],
      registers,
    }),
    confirmations: new Counter({
      name: "muster_channel_confirmations_total",
      help: "Links by which receivers confirm channels: requested, confirmed, postponed by a cap",
      labelNames: ["result"],
      registers,
    }),
    webhookTargetsPaused: new Gauge({
      name: "muster_webhook_targets_paused",
      help: "Webhook targets that are called less often because they failed several times in a row",
      registers,
    }),
  };
}

/** Anomalies and roll-ups. Gauges "of all processes" are read from the database, so every process reports the same. */
function monitoringMetrics(registers: Registry[]) {
  return {
    anomalies: new Gauge({
      name: "muster_anomalies_unresolved",
      aggregator: "max",
      help: "Unresolved anomalies, of all processes",
      labelNames: ["severity"],
      registers,
    }),
    serverRootDevices: new Gauge({
      name: "muster_server_root_devices",
      aggregator: "max",
      help: "Devices with a live certificate that have the new server root (trusting) or lack it (missing), while one is rolled out",
      labelNames: ["state"],
      registers,
    }),
    rollUpsDue: new Gauge({
      name: "muster_roll_ups_due",
      aggregator: "max",
      help: "Device hours whose roll-up is not computed yet, of all processes",
      registers,
    }),
    rollUpsFailed: new Gauge({
      name: "muster_roll_ups_failed",
      aggregator: "max",
      help: "Device hours that cannot be rolled up, and are tried again every ten minutes, of all processes",
      registers,
    }),
  };
}

function quotaMetrics(registers: Registry[]) {
  return {
    quotaRefusals: new Counter({
      name: "muster_quota_refusals_total",
      help: "Requests refused because a tenant has reached a quota",
      labelNames: ["quota"],
      registers,
    }),
    quotaUse: new Gauge({
      name: "muster_quota_used_ratio",
      aggregator: "max",
      help: "Greatest share of a quota that a tenant uses, of all processes",
      labelNames: ["quota"],
      registers,
    }),
  };
}

/** Runs `work` and records the seconds that it took, also when it fails. */
export async function timed<T>(histogram: Pick<Histogram, "startTimer">, work: () => Promise<T>): Promise<T> {
  const stop = histogram.startTimer();
  try {
    return await work();
  } finally {
    stop();
  }
}
