import { LocalBus } from "../../src/broker/bus/local-bus.ts";
import { createEngineOver } from "../../src/broker/engine/engine.ts";
import type { BrokerEngine } from "../../src/broker/engine.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { randomIds } from "../../src/lib/ids.ts";
import { DEFAULT_LIMITS } from "../../src/lib/limits/limits.ts";
import { createLogger } from "../../src/lib/logger.ts";
import { createMetrics, type Metrics } from "../../src/lib/metrics.ts";
import { permissivePolicy } from "./permissive-policy.ts";
import { createPlainListener } from "./plain-listener.ts";
import { retainedInMemory } from "./retained-in-memory.ts";
import { storedInMemory } from "./stored-in-memory.ts";

const MAX_PACKET = 2_000_000;

/** What suites of other brokers expect of a CONNACK, and no limit on rates. */
const LIMITS = {
  ...DEFAULT_LIMITS,
  mqttPacketBytes: MAX_PACKET,
  mqttFirstPacketBytes: MAX_PACKET,
  mqtt5ReceiveMaximum: 20,
  mqttMessagesPerSecond: Infinity,
  mqttBytesPerSecond: Infinity,
};

/** One of several brokers that exchange their messages. */
export interface Member {
  /** Where all of them have their sockets. */
  folder: string;
  metrics?: Metrics;
}

/**
 * The engine of the product under a policy that allows everything, over plain TCP on loopback: for suites of other brokers, which know
 * neither certificates nor our topics. The product cannot start it.
 *
 * @param port 0 picks a free one
 */
export function createPermissiveBroker(port: number, member?: Member): BrokerEngine {
  const tools = { clock: systemClock, ids: randomIds, logger: createLogger("warn") };
  const bus = member && new LocalBus({ limits: LIMITS, metrics: createMetrics(), ...tools, ...member });
  return createEngineOver(createPlainListener, {
    host: "127.0.0.1",
    port,
    tls: () => ({ cert: "", key: "", deviceRoots: "" }),
    onTlsChange: () => () => undefined,
    limits: LIMITS,
    proxies: [],
    onCapReached: () => undefined,
    policy: permissivePolicy(),
    stored: storedInMemory(() => systemClock.now()),
    retained: retainedInMemory(() => systemClock.now()),
    onUnstored: () => undefined,
    clientIds: { max: 256, max31: 256, assign: () => `auto-${randomIds.bytes(8).toString("hex")}` },
    bus,
    ...tools,
  });
}
