import type { Database } from "../db/database.ts";
import type { Clock } from "../lib/clock.ts";
import type { Ids } from "../lib/ids.ts";
import type { Limits } from "../lib/limits/limits.ts";
import type { Logger } from "../lib/logger.ts";

/** The dependencies of this feature's use cases. */
export interface CommandsDeps {
  database: Database;
  clock: Clock;
  ids: Ids;
  limits: Limits;
  logger: Logger;
}
