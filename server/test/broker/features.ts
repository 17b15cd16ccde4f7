import { randomBytes } from "node:crypto";
import { makeCsr, makeKey } from "../../../agent/src/csr.ts";
import type { Caller } from "../../src/access/access.ts";
import { type Authorities, createAuthorities } from "../../src/authorities/authorities.ts";
import type { Certificates } from "../../src/certificates/certificates.ts";
import type { Connections } from "../../src/connections/connections.ts";
import { type Database, openDatabase } from "../../src/db/database.ts";
import type { Devices } from "../../src/devices/devices.ts";
import type { Enrollment } from "../../src/enrollment/enrollment.ts";
import { randomIds } from "../../src/lib/ids.ts";
import { createLogger } from "../../src/lib/logger.ts";
import { createMetrics, type Metrics } from "../../src/lib/metrics.ts";
import { Secret } from "../../src/lib/secret.ts";
import type { Telemetry } from "../../src/telemetry/telemetry.ts";
import { testDatabase } from "../harness/database.ts";
import { FakeClock } from "../harness/fake-clock.ts";
import { testFeatures } from "../harness/features.ts";

export interface Device {
  deviceId: string;
  certificateId: string;
  key: string;
  cert: string;
  chain: string;
  fullchain: string;
  ca: string;
  topic: string;
  /** The one filter it may subscribe to. */
  filter: string;
  fingerprint: string;
}

/** What the engines of one process serve: the features over a database of their own, and a tenant. */
export interface Features {
  readonly clock: FakeClock;
  readonly database: Database;
  readonly databaseUrl: string | undefined;
  readonly authorities: Authorities;
  readonly certificates: Certificates;
  readonly connections: Connections;
  readonly devices: Devices;
  readonly enrollment: Enrollment;
  readonly telemetry: Telemetry;
  readonly metrics: Metrics;
  readonly caller: Caller;
  enroll(overrides?: { caller?: Caller }): Promise<Device>;
  newTenant(): Promise<Caller>;
  /** Closes the database under everybody, for good. */
  loseDatabase(): Promise<void>;
  close(): Promise<void>;
}

export async function openFeatures(): Promise<Features> {
  const own = await testDatabase();
  const clock = new FakeClock();
  const logger = createLogger("silent");
  const database = await openDatabase({ url: own.url, dataDir: "memory", snapshot: own.snapshot, logger });
  const masterKey = new Secret(Buffer.alloc(32, 7));
  const metrics = createMetrics();
  const deps = { database, clock, ids: randomIds, logger, masterKey, metrics };
  const authorities = await createAuthorities({ ...deps, publicHost: "localhost" });
  const features = testFeatures({ ...deps, authorities });
  const { access, certificates, connections, devices, enrollment, telemetry } = features;
  await connections.startNode();
  const types = new Map<string, string>();
  const newTenant = async (): Promise<Caller> => {
    const slug = `t${randomBytes(4).toString("hex")}`;
    await access.createTenant({ slug, name: slug });
    const caller = await access.systemCaller(slug);
    const type = await devices.createDeviceType(caller, {
      name: "Pump",
      publishTopics: ["telemetry/{deviceId}", "status/{deviceId}"],
      subscribeTopics: ["commands/{deviceId}"],
    });
    types.set(slug, type.id);
    return caller;
  };
  const caller = await newTenant();
  let lost = false;
  return {
    clock,
    database,
    databaseUrl: own.url,
    authorities,
    certificates,
    connections,
    devices,
    enrollment,
    telemetry,
    metrics,
    caller,
    newTenant,
    enroll: ({ caller: owner = caller } = {}) =>
      enroll({ certificates, enrollment }, owner, types.get(owner.tenantSlug)!),
    loseDatabase: async () => {
      await connections.flush();
      lost = true;
      await database.close();
    },
    close: async () => {
      if (lost) return own.remove();
      await telemetry.drain();
      await connections.stopNode();
      await access.close();
      await authorities.close();
      await database.close();
      await own.remove();
    },
  };
}

async function enroll(
  { certificates, enrollment }: Pick<Features, "certificates" | "enrollment">,
  caller: Caller,
  deviceTypeId: string,
): Promise<Device> {
  const claim = await enrollment.createClaim(caller, {
    intendedName: "Test pump",
    intendedDeviceTypeId: deviceTypeId,
  });
  const key = await makeKey();
  const fingerprint = `hw-${randomBytes(8).toString("hex")}`;
  const answer = await enrollment.redeemClaim(
    { address: "127.0.0.1" },
    {
      claimCode: claim.claimCode,
      hardwareFingerprint: fingerprint,
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
    chain: given.clientCertChain,
    fullchain: given.clientCert + given.clientCertChain,
    ca: given.serverCaBundle,
    topic: given.publishTopics.find((topic) => topic.includes("/telemetry/"))!,
    filter: `${given.topicPrefix}/commands/${deviceId}`,
    fingerprint,
  };
}
