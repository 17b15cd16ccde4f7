import type { KeyObject } from "node:crypto";
import type { Authorities } from "../authorities/authorities.ts";
import type { Connections } from "../connections/connections.ts";
import type { Database } from "../db/database.ts";
import type { Clock } from "../lib/clock.ts";
import type { Ids } from "../lib/ids.ts";
import type { Logger } from "../lib/logger.ts";
import type { Metrics } from "../lib/metrics.ts";
import type { Secret } from "../lib/secret.ts";

/** What enrollment is made of. It needs of its neighbours only what is picked here. */
export interface EnrollmentDeps {
  database: Database;
  clock: Clock;
  ids: Ids;
  logger: Logger;
  metrics: Pick<Metrics, "enrollments" | "signing">;
  authorities: Pick<Authorities, "issuer" | "serverCaBundlePem">;
  connections: Pick<Connections, "awaitDrop">;
  masterKey: Secret<Buffer>;
  /** What devices are told to connect to, e.g. `mqtts://broker.example.com:8883`; known once the broker listens. */
  brokerUrl: () => string;
  /** Milliseconds until a silent signer has failed; 5 s when absent. */
  signTimeoutMs?: number | undefined;
}

/** The dependencies with what is made of them once. */
export interface Enrolling extends EnrollmentDeps {
  /** HMAC key under which claim codes are stored. */
  claimCodeKey: KeyObject;
}
