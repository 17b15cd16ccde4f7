import { randomBytes } from "node:crypto";
import type { TestContext } from "node:test";
import mqtt from "mqtt";
import { makeCsr, makeKey } from "../../../agent/src/csr.ts";
import { type Caller, createAccess } from "../../src/access/access.ts";
import { type Authorities, createAuthorities } from "../../src/authorities/authorities.ts";
import type { BrokerEngine } from "../../src/broker/engine.ts";
import { type BrokerLimits, DEFAULT_LIMITS } from "../../src/broker/limits.ts";
import type { ListenerTls } from "../../src/broker/listener.ts";
import { createMusterPolicy } from "../../src/broker/muster-policy.ts";
import type { BrokerPolicy } from "../../src/broker/policy.ts";
import { type Connections, createConnections } from "../../src/connections/connections.ts";
import { type Database, openDatabase } from "../../src/db/database.ts";
import { createDevices, type Devices } from "../../src/devices/devices.ts";
import { createEnrollment, type Enrollment } from "../../src/enrollment/enrollment.ts";
import type { Clock } from "../../src/lib/clock.ts";
import { type Ids, randomIds } from "../../src/lib/ids.ts";
import { createLogger, type Logger } from "../../src/lib/logger.ts";
import { createMetrics, type Metrics } from "../../src/lib/metrics.ts";
import { Secret } from "../../src/lib/secret.ts";
import { createMonitoring, type Monitoring } from "../../src/monitoring/monitoring.ts";
import { testDatabase } from "../harness/database.ts";
import { FakeClock } from "../harness/fake-clock.ts";

/** What an engine is started with; a second engine brings a function of this type to `policySuite`. */
export interface EngineSetup {
  host: string;
  port: number;
  tls(): ListenerTls;
  onTlsChange(listener: () => void): () => void;
  limits: BrokerLimits;
  clock: Clock;
  ids: Ids;
  logger: Logger;
}
export type MakeEngine = (setup: EngineSetup) => BrokerEngine;

export interface WorldOptions {
  limits?: Partial<BrokerLimits>;
  /** Lets a test see, hold or delay what the engine asks the policy. */
  around?: (policy: BrokerPolicy) => BrokerPolicy;
}

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

/** The features over a database of its own, a tenant, and one engine under the real policy. */
export interface World {
  readonly engine: BrokerEngine;
  readonly port: number;
  readonly clock: FakeClock;
  readonly database: Database;
  readonly databaseUrl: string | undefined;
  readonly authorities: Authorities;
  readonly connections: Connections;
  readonly devices: Devices;
  readonly enrollment: Enrollment;
  readonly monitoring: Monitoring;
  readonly metrics: Metrics;
  readonly caller: Caller;
  /** Calls the engine's questions pass through; replace a method to hold or watch it, and restore it. */
  readonly policy: BrokerPolicy;
  enroll(overrides?: { caller?: Caller }): Promise<Device>;
  newTenant(): Promise<Caller>;
  /** Closes the database under everybody, for good. */
  loseDatabase(): Promise<void>;
  stop(): Promise<void>;
}

export async function startWorld(makeEngine: MakeEngine, options: WorldOptions = {}): Promise<World> {
  const own = await testDatabase();
  const clock = new FakeClock();
  const logger = createLogger("silent");
  const database = await openDatabase({ url: own.url, dataDir: "memory", snapshot: own.snapshot, logger });
  const masterKey = new Secret(Buffer.alloc(32, 7));
  const deps = { database, clock, ids: randomIds, logger };
  const metrics = createMetrics();
  const access = createAccess(deps);
  const devices = createDevices(deps);
  const connections = createConnections(deps);
  const monitoring = createMonitoring(deps);
  const authorities = await createAuthorities({ ...deps, masterKey, publicHost: "localhost" });
  const enrollment = createEnrollment({
    ...deps,
    authorities,
    connections,
    masterKey,
    metrics,
    brokerUrl: () => "mqtts://localhost:8883",
  });
  const policy = createMusterPolicy({ enrollment, connections, monitoring, authorities, metrics, logger });
  const asked = options.around?.(policy) ?? policy;
  const engine = makeEngine({
    host: "127.0.0.1",
    port: 0,
    tls: () => ({ ...authorities.brokerTls(), deviceRoots: authorities.deviceRootsPem() }),
    onTlsChange: authorities.onChange,
    limits: { ...DEFAULT_LIMITS, ...options.limits },
    clock,
    ids: randomIds,
    logger,
  });
  connections.onDrop(async ({ reason, ...target }) => {
    await engine.drop(target, reason);
    await connections.flush();
  });
  await connections.startNode();
  const { port } = await engine.start(asked);
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
    engine,
    port,
    clock,
    database,
    databaseUrl: own.url,
    authorities,
    connections,
    devices,
    enrollment,
    monitoring,
    metrics,
    caller,
    policy: asked,
    newTenant,
    enroll: ({ caller: owner = caller } = {}) => enroll(enrollment, owner, types.get(owner.tenantSlug)!),
    loseDatabase: async () => {
      await connections.flush();
      lost = true;
      await database.close();
    },
    stop: async () => {
      await engine.stop();
      if (lost) return own.remove();
      await monitoring.drain();
      await connections.stopNode();
      await access.close();
      await authorities.close();
      await database.close();
      await own.remove();
    },
  };
}

/** A world for one test. */
export async function worldFor(t: TestContext, makeEngine: MakeEngine, options?: WorldOptions): Promise<World> {
  const world = await startWorld(makeEngine, options);
  t.after(() => world.stop());
  return world;
}

async function enroll(enrollment: Enrollment, caller: Caller, deviceTypeId: string): Promise<Device> {
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
  const { items } = await enrollment.listCertificates(caller, { deviceId, skip: 0, limit: 1 });
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

/** Connects with mqtt.js, without reconnecting; rejects with the reason when the broker refuses or hangs up first. */
export function connect(
  world: Pick<World, "port">,
  device: Partial<Pick<Device, "deviceId" | "fullchain" | "key">> & Pick<Device, "ca">,
  options: mqtt.IClientOptions = {},
): Promise<mqtt.MqttClient> {
  const client = mqtt.connect({
    protocol: "mqtts",
    host: "localhost",
    port: world.port,
    ca: device.ca,
    protocolVersion: 4,
    reconnectPeriod: 0,
    connectTimeout: 10_000,
    ...(device.deviceId === undefined ? {} : { clientId: device.deviceId }),
    ...(device.fullchain === undefined ? {} : { cert: device.fullchain, key: device.key }),
    ...options,
  });
  client.on("error", () => undefined);
  return new Promise((resolve, reject) => {
    client.once("connect", () => resolve(client));
    client.once("error", reject);
    client.once("close", () => reject(new Error("closed before CONNACK")));
  });
}

/** Resolves when `client`'s connection has closed. */
export function closed(client: mqtt.MqttClient): Promise<void> {
  return client.connected ? new Promise((resolve) => client.once("close", () => resolve())) : Promise.resolve();
}

/** Tries until `check` returns something, for what happens soon and announces itself nowhere; undefined after 5 s. */
export async function eventually<T>(check: () => Promise<T | undefined | false>): Promise<T | undefined> {
  for (let attempt = 0; attempt < 250; attempt++) {
    const found = await check();
    if (found) return found;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return undefined;
}

/** The reasons in the caller's refusal journal, newest first. */
export async function journal(world: World, caller: Caller = world.caller): Promise<string[]> {
  const { items } = await world.connections.listRefusals(caller, { skip: 0, limit: 100 });
  return items.map(({ reason }) => reason);
}
