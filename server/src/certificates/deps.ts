import type { Database } from "../db/database.ts";
import type { Clock } from "../lib/clock.ts";

/** The dependencies of this feature's use cases. */
export interface CertificatesDeps {
  database: Database;
  clock: Clock;
}
