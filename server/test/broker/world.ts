import type { TestContext } from "node:test";
import mqtt from "mqtt";
import type { Caller } from "../../src/access/access.ts";
import type { BrokerEngine } from "../../src/broker/engine.ts";
import { type BrokerLimits, DEFAULT_LIMITS } from "../../src/broker/limits.ts";
import type { ListenerTls } from "../../src/broker/listener.ts";
import { createMusterPolicy } from "../../src/broker/muster-policy.ts";
import type { BrokerPolicy } from "../../src/broker/policy.ts";
import type { Clock } from "../../src/lib/clock.ts";
import { type Ids, randomIds } from "../../src/lib/ids.ts";
import { createLogger, type Logger } from "../../src/lib/logger.ts";
import { type Device, type Features, openFeatures } from "./features.ts";

export type { Device } from "./features.ts";

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

/** The features and one engine under the real policy. */
export interface World extends Omit<Features, "close"> {
  readonly engine: BrokerEngine;
  readonly port: number;
  /** Calls the engine's questions pass through; replace a method to hold or watch it, and restore it. */
  readonly policy: BrokerPolicy;
  stop(): Promise<void>;
}

export async function startWorld(makeEngine: MakeEngine, options: WorldOptions = {}): Promise<World> {
  const features = await openFeatures();
  const world = await startEngine(makeEngine, features, options);
  return {
    ...world,
    stop: async () => {
      await world.stop();
      await features.close();
    },
  };
}

/** An engine over features that are there already, as long as these are. */
async function startEngine(
  makeEngine: MakeEngine,
  features: Omit<Features, "close">,
  options: WorldOptions,
): Promise<World> {
  const { authorities, clock, connections } = features;
  const logger = createLogger("silent");
  const policy = createMusterPolicy({ ...features, logger });
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
  const { port } = await engine.start(asked);
  return { ...features, engine, port, policy: asked, stop: () => engine.stop() };
}

/** A world for one test. */
export async function worldFor(t: TestContext, makeEngine: MakeEngine, options?: WorldOptions): Promise<World> {
  const world = await startWorld(makeEngine, options);
  t.after(() => world.stop());
  return world;
}

/** `world` with a further engine, for one test that needs other limits or holds what the engine asks. */
export async function besides(
  t: TestContext,
  makeEngine: MakeEngine,
  world: World,
  options: WorldOptions,
): Promise<World> {
  const another = await startEngine(makeEngine, world, options);
  t.after(() => another.stop());
  return another;
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
