import type { Database } from "../db/database.ts";
import type { Clock } from "../lib/clock.ts";
import type { Ids } from "../lib/ids.ts";
import type { Limits } from "../lib/limits/limits.ts";
import type { Logger } from "../lib/logger.ts";
import type { Metrics } from "../lib/metrics/metrics.ts";
import type { Quotas } from "./quotas/quotas.ts";

/** The dependencies of this feature's use cases. */
export interface AccessDeps {
  database: Database;
  clock: Clock;
  ids: Ids;
  logger: Logger;
  limits: Limits;
  metrics: Pick<Metrics, "quotaUse">;
  quotas: Quotas;
}
