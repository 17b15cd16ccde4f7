import { randomBytes } from "node:crypto";
import { makeCsr, makeKey } from "../../../agent/src/csr.ts";
import type { Caller } from "../../src/access/access.ts";
import { type Authorities, createAuthorities, fixedMasterKey } from "../../src/authorities/authorities.ts";
import type { Database } from "../../src/db/database.ts";
import type { Features } from "../../src/features.ts";
import { randomIds } from "../../src/lib/ids.ts";
import { DEFAULT_LIMITS, type Limits } from "../../src/lib/limits/limits.ts";
import { createLogger } from "../../src/lib/logger.ts";
import { createMetrics } from "../../src/lib/metrics.ts";
import { Secret } from "../../src/lib/secret.ts";
import { openTestDatabase } from "../harness/database.ts";
import { FakeClock } from "../harness/fake-clock.ts";
import { testFeatures } from "../harness/features.ts";

export interface Device {
  deviceId: string;
  certificateId: string;
  key: string;
  cert: string;
  fullchain: string;
  ca: string;
  topic: string;
  /** The one filter it may subscribe to. */
  filter: string;
}

/** The features of one process with authorities and a database of its own, and a tenant. */
export interface BrokerFeatures extends Features {
  readonly clock: FakeClock;
  readonly database: Database;
  readonly authorities: Authorities;
  readonly caller: Caller;
  enroll(options?: { caller?: Caller }): Promise<Device>;
  newTenant(): Promise<Caller>;
  /** Closes the database under everything, for good. */
  loseDatabase(): Promise<void>;
  close(): Promise<void>;
}

const DEVICE_TYPE = {
  name: "Pump",
  publishTopics: ["telemetry/{deviceId}", "status/{deviceId}"],
  subscribeTopics: ["commands/{deviceId}"],
};

/** @param limits other than the defaults */
export async function openFeatures(limits: Partial<Limits> = {}): Promise<BrokerFeatures> {
  const database = await openTestDatabase();
  const clock = new FakeClock();
  const masterKeys = fixedMasterKey(new Secret(Buffer.alloc(32, 7)));
  const deps = {
    database,
    clock,
    ids: randomIds,
    logger: createLogger("silent"),
    masterKeys,
    metrics: createMetrics(),
  };
  const authorities = await createAuthorities({ ...deps, publicHost: "localhost", encryptAgain: [] });
  const features = testFeatures({ ...deps, authorities, limits: { ...DEFAULT_LIMITS, ...limits } });
  const { access, connections, devices, telemetry } = features;
  await connections.startNode();
  const deviceTypes = new Map<string, string>();
  const newTenant = async (): Promise<Caller> => {
    const slug = `t${randomBytes(4).toString("hex")}`;
    await access.createTenant({ slug, name: slug });
    const caller = await access.systemCaller(slug);
    deviceTypes.set(slug, (await devices.createDeviceType(caller, DEVICE_TYPE)).id);
    return caller;
  };
  const caller = await newTenant();
  let lost = false;
  return {
    ...features,
    clock,
    database,
    authorities,
    caller,
    newTenant,
    enroll: ({ caller: owner = caller } = {}) => enroll(features, owner, deviceTypes.get(owner.tenantSlug)!),
    loseDatabase: async () => {
      await connections.flush();
      lost = true;
      await database.close();
    },
    close: async () => {
      if (lost) return database.remove();
      await telemetry.drain();
      await connections.stopNode();
      await access.close();
      await authorities.close();
      await database.close();
      await database.remove();
    },
  };
}

export async function enroll(
  { certificates, enrollment }: Pick<Features, "certificates" | "enrollment">,
  caller: Caller,
  deviceTypeId: string,
): Promise<Device> {
  const claim = await enrollment.createClaim(caller, {
    intendedName: "Test pump",
    intendedDeviceTypeId: deviceTypeId,
  });
  const key = await makeKey();
  const answer = await enrollment.redeemClaim(
    { address: "127.0.0.1" },
    {
      claimCode: claim.claimCode,
      hardwareFingerprint: `hw-${randomBytes(8).toString("hex")}`,
      hardwareModel: "Pump",
      agentVersion: "1.0.0",
      csr: makeCsr(key),
    },
  );
  const { deviceId, mqtt: given } = answer;
  const { items } = await certificates.listCertificates(caller, { deviceId, skip: 0, limit: 1 });
  return {
    deviceId,
    certificateId: items[0]!.id,
    key,
    cert: given.clientCert,
    fullchain: given.clientCert + given.clientCertChain,
    ca: given.serverCaBundle,
    topic: given.publishTopics.find((topic) => topic.includes("/telemetry/"))!,
    filter: `${given.topicPrefix}/commands/${deviceId}`,
  };
}
