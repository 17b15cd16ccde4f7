import { createSecretKey } from "node:crypto";
import type { Database } from "../../src/db/database.ts";
import { composeFeatures, type FeatureDeps, type Features } from "../../src/features.ts";
import { type Clock, systemClock } from "../../src/lib/clock.ts";
import { randomIds } from "../../src/lib/ids.ts";
import { DEFAULT_LIMITS } from "../../src/lib/limits/limits.ts";
import { createLogger } from "../../src/lib/logger.ts";
import { createMetrics } from "../../src/lib/metrics.ts";
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

/** What a test may choose; the database and the clock are its own. */
export type TestFeatureOptions = { database: Database; clock: Clock } & Partial<FeatureDeps>;

/**
 * The features of one process over `database`, composed as in production, without listeners. Unless `authorities` are given,
 * certificates are issued under a hierarchy of its own, made when the first one is signed.
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
    // Another clock than that of the test, which advances by days.
    leaseClock: new FakeClock(),
    databaseTime: systemClock.now,
    ...options,
  });
}

/** Secrets of second factors under a master key that every process of a test has. */
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

/** An intermediate under a device root of its own. Only recorded certificates are accepted, so processes need not share it. */
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
