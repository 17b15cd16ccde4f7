import type { Quotas } from "../access/access.ts";
import type { Database } from "../db/database.ts";
import type { Clock } from "../lib/clock.ts";
import type { Ids } from "../lib/ids.ts";
import type { Limits } from "../lib/limits/limits.ts";

/** The dependencies of this feature's use cases. */
export interface TicketsDeps {
  database: Database;
  clock: Clock;
  ids: Ids;
  quotas: Quotas;
  limits: Pick<Limits, "ticketsPerMinute">;
}
