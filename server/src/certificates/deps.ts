import type { Database } from "../db/database.ts";
import type { Clock } from "../lib/clock.ts";

/** What the use cases of this feature work with. */
export interface CertificatesDeps {
  database: Database;
  clock: Clock;
}
