import type { Database } from "../db/types.ts";
import type { Clock } from "../lib/clock.ts";
import type { Ids } from "../lib/ids.ts";
import type { Logger } from "../lib/logger.ts";
import type { MasterKeys } from "./master-keys.ts";

export interface AuthoritiesDeps {
  readonly database: Database;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly logger: Logger;
  readonly masterKeys: MasterKeys;
  /** DNS name or IP address that clients reach the servers by. */
  readonly publicHost: string;
}
