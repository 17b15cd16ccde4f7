import type { Quotas } from "../access/access.ts";
import type { Database } from "../db/database.ts";
import type { Clock } from "../lib/clock.ts";
import type { Ids } from "../lib/ids.ts";
import type { Limits } from "../lib/limits/limits.ts";
import type { Logger } from "../lib/logger.ts";
import type { Metrics } from "../lib/metrics/metrics.ts";
import type { NodeMetrics } from "../lib/metrics/node-metrics.ts";
import type { NodeProcess } from "./nodes/node-store.ts";

/** The dependencies of this feature's use cases. */
export interface ConnectionsDeps {
  database: Database;
  clock: Clock;
  ids: Ids;
  logger: Logger;
  metrics: Pick<Metrics, keyof NodeMetrics>;
  quotas: Quotas;
  limits: Limits;
  nodeProcess: NodeProcess;
  /** The time since its last heartbeat after which other nodes reap this one; it ends its sessions before that. */
  leaseSeconds: number;
  /** The clock of the lease: this machine's. */
  leaseClock: Pick<Clock, "monotonicMs">;
  /** The milliseconds between two heartbeats of a node; 2 s if omitted. */
  heartbeatMs?: number | undefined;
}
