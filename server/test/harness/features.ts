import { createSecretKey } from "node:crypto";
import type { Database } from "../../src/db/database.ts";
import { composeFeatures, type FeatureDeps, type Features } from "../../src/features.ts";
import { type Clock, systemClock } from "../../src/lib/clock.ts";
import { randomIds } from "../../src/lib/ids.ts";
import { DEFAULT_LIMITS } from "../../src/lib/limits/limits.ts";
import { createLogger } from "../../src/lib/logger.ts";
import { createMetrics } from "../../src/lib/metrics/metrics.ts";
import {
  certificatePem,
  createDeviceRoot,
  createIssuingIntermediate,
  deriveKey,
  fileSigner,
  newSerialNumber,
  openSecret,
  type Signer,
  sealSecret,
} from "../../src/pki/pki.ts";
import { FakeClock } from "./fake-clock.ts";

const MASTER_KEY = Buffer.alloc(32, 7);

/** The options of a test; the database and the clock are the test's own. */
export type TestFeatureOptions = { database: Database; clock: Clock } & Partial<FeatureDeps>;

/**
 * Returns the features of one process over `database`, composed as in production, without listeners. Without
 * `authorities`, it issues certificates under its own hierarchy, which the first signature creates.
 */
export function testFeatures(options: TestFeatureOptions): Features {
  return composeFeatures({
    ids: randomIds,
    logger: createLogger("silent"),
    metrics: createMetrics(),
    limits: DEFAULT_LIMITS,
    authorities: testAuthorities(options.clock),
    keysFor: (purpose) => [createSecretKey(deriveKey(MASTER_KEY, purpose))],
    notificationSettings: { smtp: undefined, allowPrivateWebhooks: false },
    addresses: { baseUrl: "https://localhost", brokerUrl: "mqtts://localhost:8883" },
    nodeProcess: { host: "test", version: "0", part: "all" },
    leaseSeconds: 10,
    // A separate clock that stands still, because the test's clock advances by days.
    leaseClock: new FakeClock(),
    databaseTime: systemClock.now,
    ...options,
  });
}

/** Second-factor secrets under a master key that all processes of a test share. */
export const testSecrets: FeatureDeps["authorities"]["secrets"] = {
  seal: async (_tx, secret, owner) => sealSecret(secret, owner, MASTER_KEY, randomIds),
  open: async (_tx, sealed, owner) => openSecret(sealed, owner, MASTER_KEY),
};

function testAuthorities(clock: Clock): FeatureDeps["authorities"] {
  let signer: Signer | undefined;
  return {
    issuer() {
      signer ??= newSigner(clock.now());
      return { signer, chainPem: certificatePem(signer.issuer.der) };
    },
    issuersOf: async () => [],
    status: async () => [],
    rotateIn: async () => [],
    rollout: async () => undefined,
    serverCaBundlePem: () => "SERVER CA BUNDLE",
    secrets: testSecrets,
  };
}

/**
 * An intermediate under its own device root. Only recorded certificates are accepted, so processes need not share it.
 */
export function newSigner(now: Date): Signer {
  const wanted = (name: string, validDays: number) => ({
    name,
    now,
    validDays,
    serialNumber: newSerialNumber(randomIds),
  });
  const root = createDeviceRoot(wanted("Test Root", 7300));
  const intermediate = createIssuingIntermediate(wanted("Test Issuing", 3652), root);
  return fileSigner(intermediate.certificateDer, intermediate.privateKey);
}
