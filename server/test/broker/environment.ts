import type { TestContext } from "node:test";
import mqtt from "mqtt";
import type { Caller } from "../../src/access/access.ts";
import { createBroker } from "../../src/broker/broker.ts";
import type { CreateEngine } from "../../src/broker/engine-interface.ts";
import type { BrokerLimits } from "../../src/broker/limits.ts";
import type { BrokerPolicy } from "../../src/broker/policy/policy.ts";
import type { AddressRange } from "../../src/lib/address.ts";
import { randomIds } from "../../src/lib/ids.ts";
import { DEFAULT_LIMITS, type Limits } from "../../src/lib/limits/limits.ts";
import { createLogger } from "../../src/lib/logger.ts";
import { eachKnows } from "./bus/bus-suite.ts";
import { type BrokerFeatures, type Device, openFeatures } from "./features.ts";
import { type Place, placeOf } from "./place.ts";

export type { Device } from "./features.ts";

const CONFIG = { mqtt: { host: "127.0.0.1", port: 0 } };

export interface BrokerOptions {
  serverReference?: string;
  limits?: Partial<BrokerLimits>;
  /** Limits of the features. */
  tenantLimits?: Partial<Limits>;
  /** The trusted proxies. */
  proxies?: AddressRange[];
  /** Wraps the policy, so that a test observes or delays the engine's calls. */
  around?: (policy: BrokerPolicy) => BrokerPolicy;
}

/** The features with one broker that runs the engine under test, or with one broker on each of several nodes. */
export interface TestBroker extends Omit<BrokerFeatures, "close"> {
  /** The port of the next node. */
  readonly port: number;
  /** Returns the session of a client id that the engine has opened and not closed. */
  sessionOf(clientId: string): string | undefined;
  /** Drains the broker, as the product does. */
  drain(): Promise<void>;
  /** Stops only the engine. */
  stopEngine(): Promise<void>;
  stop(): Promise<void>;
}

export async function startBroker(given: CreateEngine | Place, options: BrokerOptions = {}): Promise<TestBroker> {
  const { createEngine, ...place } = placeOf(given);
  const features = await openFeatures(options.tenantLimits, place);
  const engines: TestBroker[] = [];
  for (const node of features.nodes)
    engines.push(await startEngine(createEngine, { ...features, ...node }, options, features.bus));
  if (engines.length > 1) await eachKnows(features.nodes);
  let connections = 0;
  const stopEngine = async () => {
    for (const engine of engines) await engine.stopEngine();
  };
  return {
    ...features,
    get port() {
      return engines[connections++ % engines.length]!.port;
    },
    sessionOf: (clientId) => engines.map((engine) => engine.sessionOf(clientId)).find((id) => id !== undefined),
    drain: async () => {
      for (const engine of engines) await engine.drain();
    },
    stopEngine,
    stop: async () => {
      await stopEngine();
      await features.close();
    },
  };
}

/** Starts a broker for one test. */
export async function brokerFor(t: TestContext, place: CreateEngine | Place): Promise<TestBroker> {
  const broker = await startBroker(place);
  t.after(() => broker.stop());
  return broker;
}

/**
 * Starts another engine on the features of `broker`'s first node, for one test that needs other limits or wraps the
 * policy.
 */
export async function withEngine(
  t: TestContext,
  place: CreateEngine | Place,
  broker: TestBroker,
  options: BrokerOptions,
): Promise<TestBroker> {
  const second = await startEngine(placeOf(place).createEngine, broker, options);
  t.after(() => second.stopEngine());
  return second;
}

async function startEngine(
  createEngine: CreateEngine,
  features: Omit<BrokerFeatures, "close">,
  { limits, tenantLimits, serverReference, proxies = [], around = (policy) => policy }: BrokerOptions,
  bus: Partial<BrokerFeatures["bus"]> = {},
): Promise<TestBroker> {
  let sessionOf: TestBroker["sessionOf"] = () => undefined;
  const mqtt = { ...CONFIG.mqtt, serverReference };
  const config = {
    mqtt,
    limits: { ...DEFAULT_LIMITS, ...tenantLimits },
    proxyProtocolFrom: [],
    trustedProxies: proxies,
    nats: bus.nats,
  };
  const { busFolder } = bus;
  const logger = createLogger("silent");
  const broker = createBroker({ ...features, config, busFolder, ids: randomIds, logger }, (given) => {
    const observed = observeSessions(given.policy);
    sessionOf = observed.sessionOf;
    return createEngine({ ...given, limits: { ...given.limits, ...limits }, policy: around(observed.policy) });
  });
  const { port } = await broker.start();
  const stopEngine = () => broker.stop();
  const { drain } = broker;
  return { ...features, port, sessionOf: (clientId) => sessionOf(clientId), drain, stopEngine, stop: stopEngine };
}

/** Wraps `policy` to track the sessions that the engine has opened and not closed. */
function observeSessions(policy: BrokerPolicy) {
  const sessions = new Map<string, string>();
  const observed: BrokerPolicy = {
    ...policy,
    async openSession(principal, session) {
      const opened = await policy.openSession(principal, session);
      if (opened.ended === undefined) sessions.set(principal.clientId, session.sessionId);
      return opened;
    },
    closeSession(principal, sessionId, reason) {
      if (sessions.get(principal.clientId) === sessionId) sessions.delete(principal.clientId);
      policy.closeSession(principal, sessionId, reason);
    },
  };
  return { policy: observed, sessionOf: (clientId: string) => sessions.get(clientId) };
}

/** Connects with mqtt.js, without reconnecting. Rejects with the reason if the broker refuses or closes first. */
export function connect(
  broker: Pick<TestBroker, "port">,
  device: Partial<Pick<Device, "deviceId" | "fullchain" | "key">> & Pick<Device, "ca">,
  options: mqtt.IClientOptions = {},
): Promise<mqtt.MqttClient> {
  const client = mqtt.connect({
    protocol: "mqtts",
    host: "localhost",
    port: broker.port,
    ca: device.ca,
    protocolVersion: 4,
    reconnectPeriod: 0,
    connectTimeout: 60_000,
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

/** Registers an MQTT client in the broker's tenant and connects it with its password. */
export async function connectGateway(
  broker: TestBroker,
  topics: { publish?: string[]; subscribe?: string[] },
  options: mqtt.IClientOptions = {},
): Promise<mqtt.MqttClient> {
  const clientId = `gateway-${randomIds.bytes(4).toString("hex")}`;
  const wanted = { clientId, username: clientId, ...topics };
  const { password } = await broker.connections.createMqttClient(broker.caller, wanted);
  const ca = broker.authorities.serverCaBundlePem();
  return await connect(broker, { ca, deviceId: clientId }, { username: clientId, password, ...options });
}

/** Resolves when `client`'s connection has closed. */
export function closed(client: mqtt.MqttClient): Promise<void> {
  return client.connected ? new Promise((resolve) => client.once("close", () => resolve())) : Promise.resolve();
}

/** Returns the reasons in the caller's refusal journal, newest first. */
export async function journal(broker: TestBroker, caller: Caller = broker.caller): Promise<string[]> {
  const { items } = await broker.connections.listRefusals(caller, { skip: 0, limit: 100 });
  return items.map(({ reason }) => reason);
}
