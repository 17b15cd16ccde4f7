import type { Quotas } from "../access/access.ts";
import type { Database } from "../db/database.ts";
import type { Clock } from "../lib/clock.ts";
import type { Ids } from "../lib/ids.ts";
import type { Logger } from "../lib/logger.ts";

/** The dependencies of this feature's use cases. */
export interface DevicesDeps {
  database: Database;
  clock: Clock;
  ids: Ids;
  logger: Logger;
  quotas: Quotas;
}
