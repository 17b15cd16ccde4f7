import type { Database } from "../../db/database.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Ids } from "../../lib/ids.ts";
import type { Limits } from "../../lib/limits/limits.ts";
import type { Logger } from "../../lib/logger.ts";
import type { Metrics } from "../../lib/metrics/metrics.ts";

/** The dependencies of quota counting. */
export interface QuotaDeps {
  database: Pick<Database, "db">;
  clock: Clock;
  ids: Ids;
  limits: Limits;
  logger: Logger;
  metrics: Pick<Metrics, "quotaRefusals">;
}
