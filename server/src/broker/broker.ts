import type { Authorities } from "../authorities/authorities.ts";
import type { Commands } from "../commands/commands.ts";
import type { Connections } from "../connections/connections.ts";
import type { AddressRange } from "../lib/address.ts";
import type { Clock } from "../lib/clock.ts";
import type { Ids } from "../lib/ids.ts";
import type { Limits } from "../lib/limits/limits.ts";
import type { Metrics } from "../lib/metrics.ts";
import { type CapReportTools, reportCaps } from "../lib/sockets/cap-reports.ts";
import { createEngine as createOwnEngine } from "./engine/engine.ts";
import type { CreateEngine } from "./engine.ts";
import { createMusterPolicy, type PolicyDeps } from "./policy/muster-policy.ts";
import { RetainedMessages } from "./policy/retained-messages.ts";

export interface BrokerDeps extends Omit<PolicyDeps, "retained"> {
  config: { mqtt: { host: string; port: number }; trustedProxies: readonly AddressRange[]; limits: Limits };
  connections: PolicyDeps["connections"] & Pick<Connections, "onDrop" | "flush" | "storedSessions">;
  commands: PolicyDeps["commands"] & Pick<Commands, "onCommand">;
  authorities: PolicyDeps["authorities"] & Pick<Authorities, "brokerTls" | "deviceRootsPem" | "onChange">;
  clock: Clock;
  ids: Ids;
  metrics: PolicyDeps["metrics"] & CapReportTools["metrics"] & Pick<Metrics, "storedMessagesRefused">;
}

/** The MQTT surface: one engine under one policy. */
export interface Broker {
  /** Opens the listener; `connections.startNode()` comes before. @returns the port */
  start(): Promise<{ port: number }>;
  /** Stores the messages under way, then closes every session. Safe when it was never started. */
  stop(): Promise<void>;
  healthy(): boolean;
}

export function createBroker(deps: BrokerDeps, createEngine: CreateEngine = createOwnEngine): Broker {
  const { authorities, connections } = deps;
  const retained = new RetainedMessages(deps.config.limits);
  const engine = createEngine({
    ...deps.config.mqtt,
    tls: () => ({ ...authorities.brokerTls(), deviceRoots: authorities.deviceRootsPem() }),
    onTlsChange: authorities.onChange,
    limits: deps.config.limits,
    proxies: deps.config.trustedProxies,
    onCapReached: reportCaps("mqtt", deps),
    policy: createMusterPolicy({ ...deps, retained }),
    stored: connections.storedSessions,
    onUnstored: (count) => deps.metrics.storedMessagesRefused.inc(count),
    clock: deps.clock,
    ids: deps.ids,
    logger: deps.logger,
  });
  connections.onDrop(async ({ reason, ...target }) => {
    await engine.drop(target, reason);
    await engine.removeRetained(retained.removeOf(target));
    // Once the drop is acknowledged, the database must not list its sessions as open.
    await connections.flush();
  });
  let started = false;
  let unlisten = async () => {};
  return {
    async start() {
      unlisten = await deps.commands.onCommand((deviceUid) => engine.deliverCommands(deviceUid));
      const listening = await engine.start();
      started = true;
      return listening;
    },
    async stop() {
      await unlisten();
      if (started) await engine.stop();
      started = false;
    },
    healthy: () => started && engine.healthy(),
  };
}
