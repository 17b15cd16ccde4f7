import type { Bus } from "../../../src/broker/bus/bus.ts";
import { createEngineOver } from "../../../src/broker/engine/engine.ts";
import type { BrokerEngine } from "../../../src/broker/engine-interface.ts";
import type { StoredSessions } from "../../../src/connections/connections.ts";
import { type Clock, systemClock } from "../../../src/lib/clock.ts";
import { randomIds } from "../../../src/lib/ids.ts";
import { DEFAULT_LIMITS } from "../../../src/lib/limits/limits.ts";
import { createLogger } from "../../../src/lib/logger.ts";
import { permissivePolicy } from "./permissive-policy.ts";
import { createPlainListener } from "./plain-listener.ts";
import { retainedInMemory } from "./retained-in-memory.ts";
import { storedInMemory } from "./stored-in-memory.ts";

const MAX_PACKET = 2_000_000;

/** The values that suites of other brokers expect in a CONNACK, and no rate limits. */
export const PERMISSIVE_LIMITS = {
  ...DEFAULT_LIMITS,
  mqttPacketBytes: MAX_PACKET,
  mqttFirstPacketBytes: MAX_PACKET,
  mqtt5ReceiveMaximum: 20,
  mqtt5KeepAliveSeconds: 60,
  mqttMessagesPerSecond: Infinity,
  mqttBytesPerSecond: Infinity,
  mqttConnectsPerMinute: Infinity,
};

export const PERMISSIVE_TOOLS = { clock: systemClock, ids: randomIds, logger: createLogger("warn") };

/**
 * Creates a broker with the product's engine and a policy that allows everything, over plain TCP on loopback. It exists
 * for suites of other brokers, which know neither certificates nor our topics; the product cannot start it.
 * @param port 0 picks a free one
 * @param bus to other permissive brokers, with which it exchanges messages
 * @param stored its stored sessions, which brokers may share
 */
export function createPermissiveBroker(
  port: number,
  bus?: Bus,
  stored?: StoredSessions,
  clock: Clock = systemClock,
): BrokerEngine {
  const retained = retainedInMemory(() => clock.now());
  return createEngineOver(createPlainListener, {
    host: "127.0.0.1",
    port,
    tls: () => ({ cert: "", key: "", deviceRoots: "" }),
    onTlsChange: () => () => undefined,
    limits: PERMISSIVE_LIMITS,
    proxies: [],
    onCapReached: () => undefined,
    policy: permissivePolicy(),
    stored: stored ?? storedInMemory(() => clock.now(), undefined, retained),
    retained,
    onUnstored: () => undefined,
    clientIds: { max: 256, max31: 256, assign: () => `auto-${randomIds.bytes(8).toString("hex")}` },
    bus,
    ...PERMISSIVE_TOOLS,
    clock,
  });
}
