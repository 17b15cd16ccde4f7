import type { Authorities } from "../authorities/authorities.ts";
import type { Database } from "../db/database.ts";
import type { Doctor } from "../doctor/doctor.ts";
import type { Clock } from "../lib/clock.ts";
import type { Ids } from "../lib/ids.ts";
import type { Logger } from "../lib/logger.ts";
import type { Metrics } from "../lib/metrics/metrics.ts";

/** The dependencies of this feature's use cases. */
export interface PlatformDeps {
  database: Database;
  clock: Clock;
  ids: Ids;
  logger: Logger;
  metrics: Pick<Metrics, "serverRootDevices">;
  authorities: Pick<Authorities, "status" | "rotateIn" | "rollout">;
  doctor: Doctor;
}
