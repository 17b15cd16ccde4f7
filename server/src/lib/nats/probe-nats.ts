import type { Logger } from "../logger.ts";
import { NatsClient } from "./nats-client.ts";
import type { NatsSettings } from "./nats-settings.ts";

/**
 * Connects to NATS and disconnects.
 *
 * @returns the reason, as a sentence, why a process cannot connect; null if it can
 */
export async function probeNats(settings: NatsSettings, logger: Logger): Promise<string | null> {
  const client = new NatsClient({
    settings,
    name: "muster doctor",
    subscriptions: new Map([["muster.doctor", () => undefined]]),
    onUp: () => undefined,
    onConnected: () => undefined,
    consequences: { unreachable: "the doctor reports it", broken: "the doctor reports it" },
    logger,
  });
  try {
    return (await client.open()) ? null : `no server of MUSTER_NATS_URL answers (${settings.servers.join(", ")})`;
  } catch (error) {
    return (error as Error).message;
  } finally {
    await client.close();
  }
}
