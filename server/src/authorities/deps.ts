import type { Database } from "../db/types.ts";
import type { Clock } from "../lib/clock.ts";
import type { Ids } from "../lib/ids.ts";
import type { Logger } from "../lib/logger.ts";
import type { Secret } from "../lib/secret.ts";

export interface AuthoritiesDeps {
  readonly database: Database;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly logger: Logger;
  readonly masterKey: Secret<Buffer>;
  /** DNS name or IP address that clients reach the servers by. */
  readonly publicHost: string;
}
