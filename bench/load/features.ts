import { createAuthorities, fixedMasterKey } from "../../server/src/authorities/authorities.ts";
import type { Database } from "../../server/src/db/database.ts";
import { composeFeatures, type Features } from "../../server/src/features.ts";
import { type Clock, systemClock } from "../../server/src/lib/clock.ts";
import { randomIds } from "../../server/src/lib/ids.ts";
import { DEFAULT_LIMITS } from "../../server/src/lib/limits/limits.ts";
import { createLogger } from "../../server/src/lib/logger.ts";
import { createMetrics } from "../../server/src/lib/metrics.ts";
import { Secret } from "../../server/src/lib/secret.ts";

/** The features of one process over `database`, composed as in production, without listeners, for rows that measure one of them alone. */
export async function benchFeatures(database: Database, clock: Clock = systemClock) {
  const deps = { database, clock, ids: randomIds, logger: createLogger("silent") };
  const masterKeys = fixedMasterKey(new Secret(Buffer.alloc(32, 7)));
  const authorities = await createAuthorities({ ...deps, masterKeys, publicHost: "localhost", encryptAgain: [] });
  const features: Features = composeFeatures({
    ...deps,
    metrics: createMetrics(),
    limits: DEFAULT_LIMITS,
    authorities,
    keysFor: authorities.keysFor,
    notificationSettings: { smtp: undefined, allowPrivateWebhooks: false },
    addresses: { baseUrl: "https://localhost", brokerUrl: "mqtts://localhost" },
    nodeProcess: { host: "", version: "", part: "all" },
    leaseSeconds: 10,
    databaseTime: systemClock.now,
    leaseClock: systemClock,
  });
  return { features, authorities };
}
