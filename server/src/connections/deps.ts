import type { Quotas } from "../access/access.ts";
import type { Database } from "../db/database.ts";
import type { Clock } from "../lib/clock.ts";
import type { Ids } from "../lib/ids.ts";
import type { Limits } from "../lib/limits/limits.ts";
import type { Logger } from "../lib/logger.ts";
import type { NodeMetrics } from "../lib/metrics/node-metrics.ts";
import type { Metrics } from "../lib/metrics.ts";
import type { NodeProcess } from "./nodes/node-store.ts";

/** What the use cases of this feature work with. */
export interface ConnectionsDeps {
  database: Database;
  clock: Clock;
  ids: Ids;
  logger: Logger;
  metrics: Pick<Metrics, keyof NodeMetrics>;
  quotas: Quotas;
  limits: Limits;
  nodeProcess: NodeProcess;
  /** How long after its last heartbeat this node is reaped by others; it ends its sessions before. */
  leaseSeconds: number;
  /** The clock of the lease: this machine's. */
  leaseClock: Pick<Clock, "monotonicMs">;
  /** Milliseconds between two heartbeats of a node; 2 s when absent. */
  heartbeatMs?: number | undefined;
}
