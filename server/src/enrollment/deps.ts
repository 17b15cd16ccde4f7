import type { KeyObject } from "node:crypto";
import type { Quotas } from "../access/access.ts";
import type { Authorities } from "../authorities/authorities.ts";
import type { Connections } from "../connections/connections.ts";
import type { Database } from "../db/database.ts";
import type { Clock } from "../lib/clock.ts";
import type { Ids } from "../lib/ids.ts";
import type { Logger } from "../lib/logger.ts";
import type { Metrics } from "../lib/metrics/metrics.ts";
import type { KnownClaims } from "./claims/known-claims.ts";
import type { LimitedGuessers } from "./claims/limited-guessers.ts";
import type { FirstRedemptions } from "./redemption/first-redemption-store.ts";
import type { RefusedCertificates } from "./renewal/refused-certificates.ts";
import type { Renewals } from "./renewal/renewals.ts";

/** The dependencies of this feature's use cases. */
export interface EnrollmentDeps {
  database: Database;
  clock: Clock;
  /** The time by the clock of the database. */
  databaseTime: Clock["now"];
  ids: Ids;
  logger: Logger;
  quotas: Quotas;
  metrics: Pick<Metrics, "enrollments" | "signing">;
  authorities: Pick<Authorities, "issuer" | "issuersOf" | "serverCaBundlePem">;
  knownClaims: KnownClaims;
  limitedGuessers: LimitedGuessers;
  firstRedemptions: FirstRedemptions;
  renewals: Renewals;
  refusedCertificates: RefusedCertificates;
  connections: Pick<Connections, "awaitDrops">;
  /** The HMAC keys of stored claim codes: the key of new claims, then those of open claims from before a rotation. */
  claimCodeKeys: () => readonly KeyObject[];
  /**
   * The address that devices connect to, e.g. `mqtts://broker.example.com:8883`. Its port is known once the broker
   * listens.
   */
  brokerUrl: () => string;
  /** The address of the HTTPS endpoints, e.g. `https://muster.example.com`. */
  baseUrl: () => string;
  /** The time limit of a signature in milliseconds; the default is 5 s. */
  signTimeoutMs?: number | undefined;
}
