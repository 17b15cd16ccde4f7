import type { Authorities } from "../authorities/authorities.ts";
import type { Connections } from "../connections/connections.ts";
import type { Clock } from "../lib/clock.ts";
import type { Ids } from "../lib/ids.ts";
import type { CreateEngine } from "./engine.ts";
import { createAedesEngine } from "./engines/aedes/engine.ts";
import { DEFAULT_LIMITS } from "./limits.ts";
import { createMusterPolicy, type PolicyDeps } from "./policy/muster-policy.ts";

export interface BrokerDeps extends PolicyDeps {
  config: { mqtt: { host: string; port: number }; mqttMessagesPerSecond: number };
  connections: PolicyDeps["connections"] & Pick<Connections, "onDrop" | "flush">;
  authorities: PolicyDeps["authorities"] & Pick<Authorities, "brokerTls" | "deviceRootsPem" | "onChange">;
  clock: Clock;
  ids: Ids;
}

/** The MQTT surface: one engine under one policy. */
export interface Broker {
  /** Opens the listener; `connections.startNode()` comes before. @returns the port */
  start(): Promise<{ port: number }>;
  /** Stores the messages under way, then closes every session. Safe when it was never started. */
  stop(): Promise<void>;
  healthy(): boolean;
}

export function createBroker(deps: BrokerDeps, createEngine: CreateEngine = createAedesEngine): Broker {
  const { authorities, connections } = deps;
  const engine = createEngine({
    ...deps.config.mqtt,
    tls: () => ({ ...authorities.brokerTls(), deviceRoots: authorities.deviceRootsPem() }),
    onTlsChange: authorities.onChange,
    limits: { ...DEFAULT_LIMITS, messagesPerSecond: deps.config.mqttMessagesPerSecond },
    policy: createMusterPolicy(deps),
    clock: deps.clock,
    ids: deps.ids,
    logger: deps.logger,
  });
  connections.onDrop(async ({ reason, ...target }) => {
    await engine.drop(target, reason);
    // Once the drop is acknowledged, the database must not list its sessions as open.
    await connections.flush();
  });
  let started = false;
  return {
    async start() {
      const listening = await engine.start();
      started = true;
      return listening;
    },
    async stop() {
      if (started) await engine.stop();
      started = false;
    },
    healthy: () => started && engine.healthy(),
  };
}
