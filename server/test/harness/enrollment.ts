import assert from "node:assert/strict";
import { generateKeyPairSync, randomBytes, X509Certificate } from "node:crypto";
import { makeCsr } from "../../../agent/src/csr.ts";
import type { Caller } from "../../src/access/access.ts";
import type { PeerCertificate } from "../../src/certificates/certificates.ts";
import type { Database } from "../../src/db/database.ts";
import type { Clock } from "../../src/lib/clock.ts";
import { MusterError } from "../../src/lib/errors.ts";
import { type Ids, randomIds } from "../../src/lib/ids.ts";
import { certificatePem, type Signer } from "../../src/pki/pki.ts";

import { openTestDatabase } from "./database/database.ts";
import { FakeClock } from "./fake-clock.ts";
import { newSigner, testFeatures, testSecrets } from "./features.ts";

/** Enrollment and its collaborators on one database without listeners, for tests of rules and races. */
export type Registry = ReturnType<typeof createRegistry>;

export interface RegistryOptions {
  database: Database;
  clock: Clock;
  ids?: Ids;
  signer?: Signer;
  signTimeoutMs?: number;
  databaseTime?: Clock["now"];
}

export function createRegistry({ database, clock, ids = randomIds, ...options }: RegistryOptions) {
  const issuer = { signer: options.signer ?? newSigner(clock.now()), chainPem: "" };
  issuer.chainPem = certificatePem(issuer.signer.issuer.der);
  const features = testFeatures({
    database,
    clock,
    ids,
    authorities: {
      issuer: () => issuer,
      issuersOf: async () => [],
      status: async () => [],
      rotateIn: async () => [],
      rollout: async () => undefined,
      serverCaBundlePem: () => "SERVER CA BUNDLE",
      secrets: testSecrets,
    },
    addresses: { baseUrl: "https://muster.example.com", brokerUrl: "mqtts://broker.example.com:8883" },
    signTimeoutMs: options.signTimeoutMs,
    ...(options.databaseTime && { databaseTime: options.databaseTime }),
  });
  /** The issuer, whose methods a test replaces to make signing fail. */
  return { ...features, database, clock, ids, issuer };
}

export interface Tenant {
  slug: string;
  caller: Caller;
  deviceTypeId: string;
}

/** A tenant with one device type, which publishes on `telemetry/{deviceId}`. */
export async function addTenant(registry: Registry, slug = `t${randomBytes(4).toString("hex")}`): Promise<Tenant> {
  await registry.access.createTenant({ slug, name: slug });
  const caller = await registry.access.systemCaller(slug);
  const type = await registry.devices.createDeviceType(caller, {
    name: "Pump",
    publishTopics: ["telemetry/{deviceId}"],
  });
  return { slug, caller, deviceTypeId: type.id };
}

export function newKey() {
  return generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey;
}

export function csrOf(key = newKey()): string {
  return makeCsr(key);
}

export function request(claimCode: string, overrides: Record<string, unknown> = {}) {
  return {
    claimCode,
    hardwareFingerprint: `hw-${randomBytes(8).toString("hex")}`,
    hardwareModel: "Pump 3000",
    agentVersion: "1.0.0",
    csr: csrOf(),
    ...overrides,
  };
}

/** Returns the certificate as a listener passes it on after TLS has verified it. */
export function peerOf(certPem: string, verified = true): PeerCertificate {
  return { der: Buffer.from(new X509Certificate(certPem).raw), verified };
}

export const ADDRESS = "192.0.2.1";

/** Enrolls one device with its own claim. */
export async function enroll(registry: Registry, tenant: Tenant, overrides: Record<string, unknown> = {}) {
  const claim = await registry.enrollment.createClaim(tenant.caller, {
    intendedName: "Pump",
    intendedDeviceTypeId: tenant.deviceTypeId,
  });
  const body = request(claim.claimCode, overrides);
  const answer = await registry.enrollment.redeemClaim({ address: ADDRESS }, body);
  return { answer, body, claim, peer: peerOf(answer.mqtt.clientCert) };
}

/** Opens a registry on its own database, with a clock that the test controls. */
export async function startRegistry(options: Omit<RegistryOptions, "database" | "clock"> = {}) {
  const database = await openTestDatabase();
  const clock = new FakeClock();
  const registry = createRegistry({ database, clock, ...options });
  return {
    ...registry,
    clock,
    database,
    async stop() {
      await database.close();
      await database.remove();
    },
  };
}

/**
 * Asserts that `work` is refused with `code`.
 * @returns the refusal
 */
export async function refused(work: Promise<unknown>, code: string): Promise<MusterError> {
  const outcome = await work.then(
    () => undefined,
    (error: unknown) => error,
  );
  assert.ok(outcome !== undefined, `was not refused, expected ${code}`);
  if (!(outcome instanceof MusterError)) throw outcome;
  assert.equal(outcome.code, code);
  return outcome;
}
