import type { Quotas } from "../access/access.ts";
import type { Database } from "../db/database.ts";
import type { Clock } from "../lib/clock.ts";
import type { Ids } from "../lib/ids.ts";
import type { Limits } from "../lib/limits/limits.ts";
import type { Logger } from "../lib/logger.ts";
import type { NodeProcess } from "./node-store.ts";

/** What the use cases of this feature work with. */
export interface ConnectionsDeps {
  database: Database;
  clock: Clock;
  ids: Ids;
  logger: Logger;
  quotas: Quotas;
  limits: Limits;
  nodeProcess: NodeProcess;
  /** Milliseconds between two heartbeats of a node; 2 s when absent. */
  heartbeatMs?: number | undefined;
}
