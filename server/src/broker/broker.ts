import type { Authorities } from "../authorities/authorities.ts";
import type { Commands } from "../commands/commands.ts";
import type { Connections } from "../connections/connections.ts";
import type { AddressRange } from "../lib/address.ts";
import type { Clock } from "../lib/clock.ts";
import type { Ids } from "../lib/ids.ts";
import type { Limits } from "../lib/limits/limits.ts";
import type { RequestCounts } from "../lib/limits/request-counts.ts";
import type { BusMetrics } from "../lib/metrics/bus-metrics.ts";
import type { Metrics } from "../lib/metrics/metrics.ts";
import type { NatsSettings } from "../lib/nats/nats-settings.ts";
import { type CapReportTools, reportCaps } from "../lib/sockets/cap-reports.ts";
import { LocalBus } from "./bus/local-bus.ts";
import { NatsBus } from "./bus/nats/nats-bus.ts";
import { createEngine as createOwnEngine } from "./engine/engine.ts";
import type { BrokerEngine, CreateEngine, EngineOptions } from "./engine-interface.ts";
import { createMusterPolicy, type MusterPolicy, type PolicyDeps } from "./policy/muster-policy.ts";
import { tracedPolicy } from "./policy/traced-policy.ts";

export interface BrokerDeps extends PolicyDeps {
  /** `nats`, if set, carries messages between processes on any machine. */
  config: {
    mqtt: Config;
    trustedProxies: readonly AddressRange[];
    proxyProtocolFrom: readonly AddressRange[];
    limits: Limits;
    nats?: NatsSettings | undefined;
  };
  connections: PolicyDeps["connections"] &
    Pick<
      Connections,
      "traces" | "onDrop" | "onDrain" | "onLeaseEnd" | "leaseTerm" | "flush" | "storedSessions" | "retainedMessages"
    >;
  commands: PolicyDeps["commands"] & Pick<Commands, "onCommand">;
  authorities: PolicyDeps["authorities"] & Pick<Authorities, "brokerTls" | "clientIssuers" | "onChange">;
  clock: Clock;
  ids: Ids;
  metrics: PolicyDeps["metrics"] &
    CapReportTools["metrics"] &
    Pick<Metrics, "storedMessagesRefused" | keyof BusMetrics>;
  /** Lets other processes count an address's CONNECTs, too. */
  requestCounts?: RequestCounts | undefined;
  /**
   * The folder with the sockets of the processes that serve MQTT together; absent if this is the only one. NATS
   * replaces it.
   */
  busFolder?: string | undefined;
}

type Config = Pick<EngineOptions, "host" | "port" | "sharesPort" | "serverReference">;

/** The MQTT surface: one engine under one policy. */
export interface Broker {
  /** Opens the listener; call `connections.startNode()` first. @returns the port */
  start(): Promise<{ port: number }>;
  /**
   * Stops accepting connections and ends every session at a limited rate. `stop` does this first. Safe if never
   * started.
   */
  drain(): Promise<void>;
  /** The seconds that draining the current number of sessions takes at the limited rate. */
  readonly drainSeconds: number;
  /** Stores the messages in flight, then closes every session. Safe if never started. */
  stop(): Promise<void>;
  healthy(): boolean;
  /** Whether messages reach processes on other machines now; undefined without NATS and before the start. */
  busConnected(): boolean | undefined;
}

export function createBroker(deps: BrokerDeps, createEngine: CreateEngine = createOwnEngine): Broker {
  const { authorities, connections } = deps;
  const bus = createBus(deps);
  const retained = connections.retainedMessages;
  const policy = tracedPolicy(createMusterPolicy(deps), connections.traces);
  const engine = createEngine({
    ...deps.config.mqtt,
    tls: () => ({ ...authorities.brokerTls(), ...authorities.clientIssuers() }),
    onTlsChange: authorities.onChange,
    limits: deps.config.limits,
    proxies: deps.config.trustedProxies,
    proxyProtocolFrom: deps.config.proxyProtocolFrom,
    onCapReached: reportCaps("mqtt", deps),
    requestCounts: deps.requestCounts,
    policy,
    leaseTerm: connections.leaseTerm,
    stored: connections.storedSessions,
    retained,
    bus,
    onUnstored: (count) => deps.metrics.storedMessagesRefused.inc(count),
    clock: deps.clock,
    ids: deps.ids,
    logger: deps.logger,
  });
  closeDropped(deps, engine, policy);
  let started = false;
  const drain = async () => {
    if (started) await engine.drain();
  };
  connections.onDrain(drain);
  connections.onLeaseEnd(() => engine.endSessions("node_lost"));
  let unlisten = async () => {};
  let stopTraces = async () => {};
  return {
    async start() {
      stopTraces = await connections.traces.start();
      unlisten = await deps.commands.onCommand((deviceUid) => engine.deliverCommands(deviceUid));
      const listening = await engine.start();
      started = true;
      return listening;
    },
    async stop() {
      await unlisten();
      if (started) await engine.stop();
      await stopTraces();
      started = false;
    },
    drain,
    get drainSeconds() {
      return engine.drainSeconds;
    },
    healthy: () => started && engine.healthy(),
    busConnected: () => (started && bus instanceof NatsBus ? bus.isConnected : undefined),
  };
}

/** Closes the sessions that the database says must end. */
function closeDropped({ connections }: BrokerDeps, engine: BrokerEngine, policy: MusterPolicy): void {
  const retained = connections.retainedMessages;
  connections.onDrop(async ({ reason, ...target }, replacedFrom) => {
    const ended = await engine.drop(target, reason);
    if (replacedFrom !== undefined) for (const each of ended) policy.recordTakeover(each, replacedFrom);
    const ownerId = await retained.ownerOf(target);
    if (ownerId !== undefined) engine.recheckRetained(ownerId);
    // Once the drop is acknowledged, the database must not list its sessions as open any more.
    await connections.flush();
  });
}

function createBus(deps: BrokerDeps): NatsBus | LocalBus | undefined {
  const { busFolder, config } = deps;
  const options = { ...deps, limits: config.limits };
  if (config.nats) return new NatsBus({ ...options, settings: config.nats });
  return busFolder === undefined ? undefined : new LocalBus({ ...options, folder: busFolder });
}
