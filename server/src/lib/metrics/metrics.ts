import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import { type BusMetrics, busMetrics } from "./bus-metrics.ts";
import { type DatabaseMetrics, databaseMetrics } from "./database-metrics.ts";
import { type NodeMetrics, nodeMetrics } from "./node-metrics.ts";
import { type PeopleMetrics, peopleMetrics } from "./people-metrics.ts";
import { type IngestStreamMetrics, ingestStreamMetrics } from "./stream-metrics.ts";

/** The service's Prometheus metrics. Label values come from closed sets, never from a client. */
export interface Metrics extends BusMetrics, DatabaseMetrics, IngestStreamMetrics, NodeMetrics, PeopleMetrics {
  /** Open MQTT sessions of this process; `kind` is `device` or `client`. */
  readonly connections: Gauge<"kind">;
  /** Connections closed by a cap; `listener` is `mqtt` or `https`. */
  readonly connectionsClosed: Counter<"listener" | "cap">;
  /** Messages for which the stored sessions had no room. */
  readonly storedMessagesRefused: Counter;
  /** Refused MQTT connects and publishes. */
  readonly refusals: Counter<"reason">;
  /** MQTT messages from devices; `result` is `stored`, `partly_stored` or `rejected`. */
  readonly messages: Counter<"result">;
  /** Rejected messages from devices; `reason` is a `RejectionCause` of telemetry. */
  readonly messagesRejected: Counter<"reason">;
  /** Batches split in search of a message that was refused (`refused`) or not stored in time (`timed_out`). */
  readonly batchesBisected: Counter<"cause">;
  /** Redemptions, renewals and bundles; `result` is `ok` or the error code. */
  readonly enrollments: Counter<"operation" | "result">;
  /** Seconds from a validated request to a signed certificate. */
  readonly signing: Histogram;
  /** Seconds that a statement or a batch of statements took, including failed ones. */
  readonly database: Histogram;
  /** Seconds from the headers of a request to its answer, by route template. */
  readonly http: Histogram<"method" | "route" | "status">;
  /** MQTT messages received by this process and not yet committed. */
  readonly telemetryWaiting: Gauge;
  /** Tenants whose messages this process stores in batches of their own. */
  readonly tenantsIsolated: Gauge;
  /**
   * Attempts to deliver a notification; `result` is `sent`, `retried` (failed, to be repeated) or `failed` (given up).
   */
  readonly notifications: Counter<"channel" | "result">;
  /**
   * Escalation steps that became due; `result` is `paged`, `nobody`, `deferred`, `stopped` or `late`
   * (docs/operations/metrics.md).
   */
  readonly pages: Counter<"result">;
  /** Undelivered notifications of all processes. */
  readonly notificationsWaiting: Gauge<"channel">;
  /** Seconds since the oldest undelivered notification of all processes was created. */
  readonly notificationsOldest: Gauge<"channel">;
  /** Confirmation links for channels; `result` is `requested`, `confirmed` or `postponed` (a cap on links). */
  readonly confirmations: Counter<"result">;
  /** Webhook targets that this process calls less often after several consecutive failures. */
  readonly webhookTargetsPaused: Gauge;
  /** Unresolved anomalies of all processes. */
  readonly anomalies: Gauge<"severity">;
  /**
   * Devices with a live certificate during the roll-out of a new server root, of all processes; `state` is `trusting`
   * or `missing`.
   */
  readonly serverRootDevices: Gauge<"state">;
  /** Device hours of all processes whose roll-up is pending. */
  readonly rollUpsDue: Gauge;
  readonly rollUpsFailed: Gauge;
  /** Requests refused because a tenant has reached a quota. */
  readonly quotaRefusals: Counter<"quota">;
  /** For each quota the greatest share that a tenant uses, of all processes; 1 means reached. */
  readonly quotaUse: Gauge<"quota">;
  /** Calls `read` before every scrape to set gauges. `read` removes the gauges that it cannot set. */
  beforeScrape(read: () => Promise<void>): void;
  readonly contentType: string;
  /** Returns all metrics in the Prometheus text format. */
  text(): Promise<string>;
  /** Returns the same metrics for a process that aggregates several. */
  json(): Promise<object[]>;
}

const FAST = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];

/**
 * Creates the metrics in a registry of their own, so that two services in one process (tests) count separately.
 * Includes the delay of the event loop.
 */
export function createMetrics(): Metrics {
  const registry = new Registry();
  const registers = [registry];
  const reads: (() => Promise<void>)[] = [];
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: 20 });
  return {
    ...connectionMetrics(registers),
    messages: new Counter({
      name: "muster_messages_total",
      help: "MQTT messages from devices, by result",
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
      help: "Duration of database statements",
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
    ...peopleMetrics(registers),
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
      help: "Connections closed, or CONNECTs refused, because a cap was reached",
      labelNames: ["listener", "cap"],
      registers,
    }),
    storedMessagesRefused: new Counter({
      name: "muster_stored_messages_refused_total",
      help: "Messages for which the stored sessions had no room",
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
      help: "Rejected MQTT messages from devices, by reason",
      labelNames: ["reason"],
      registers,
    }),
    batchesBisected: new Counter({
      name: "muster_batches_bisected_total",
      help: "Telemetry batches split in search of a faulty message",
      labelNames: ["cause"],
      registers,
    }),
    tenantsIsolated: new Gauge({
      name: "muster_tenants_isolated",
      help: "Tenants whose telemetry is stored in batches of their own because their batches were slow or failed",
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
      help: "Undelivered notifications of all processes",
      labelNames: ["channel"],
      registers,
    }),
    notificationsOldest: new Gauge({
      name: "muster_notifications_oldest_seconds",
      aggregator: "max",
      help: "Age of the oldest undelivered notification of all processes",
      labelNames: ["channel"],
      registers,
    }),
    confirmations: new Counter({
      name: "muster_channel_confirmations_total",
      help: "Confirmation links for channels: requested, confirmed, postponed by a cap",
      labelNames: ["result"],
      registers,
    }),
    webhookTargetsPaused: new Gauge({
      name: "muster_webhook_targets_paused",
      help: "Webhook targets called less often after several consecutive failures",
      registers,
    }),
  };
}

/**
 * Creates the metrics of anomalies and roll-ups. Gauges "of all processes" are read from the database, so every process
 * reports the same value.
 */
function monitoringMetrics(registers: Registry[]) {
  return {
    anomalies: new Gauge({
      name: "muster_anomalies_unresolved",
      aggregator: "max",
      help: "Unresolved anomalies of all processes",
      labelNames: ["severity"],
      registers,
    }),
    serverRootDevices: new Gauge({
      name: "muster_server_root_devices",
      aggregator: "max",
      help: "Devices with a live certificate that have the new server root (trusting) or lack it (missing), during its roll-out",
      labelNames: ["state"],
      registers,
    }),
    rollUpsDue: new Gauge({
      name: "muster_roll_ups_due",
      aggregator: "max",
      help: "Device hours of all processes whose roll-up is pending",
      registers,
    }),
    rollUpsFailed: new Gauge({
      name: "muster_roll_ups_failed",
      aggregator: "max",
      help: "Device hours of all processes whose roll-up failed and is retried every ten minutes",
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

/** Runs `work` and records its duration in seconds, even if it fails. */
export async function timed<T>(histogram: Pick<Histogram, "startTimer">, work: () => Promise<T>): Promise<T> {
  const stop = histogram.startTimer();
  try {
    return await work();
  } finally {
    stop();
  }
}
