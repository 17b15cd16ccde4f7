import type { Database } from "../db/database.ts";
import type { Clock } from "../lib/clock.ts";
import type { Ids } from "../lib/ids.ts";

export interface AnomaliesDeps {
  database: Database;
  clock: Clock;
  ids: Ids;
}
