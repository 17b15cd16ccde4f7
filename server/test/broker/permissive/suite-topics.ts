import type mqtt from "mqtt";
import type { TestClient } from "./mqtt-client.ts";

let topics = 0;

/** Topics of one test: its own first level, and three below it. */
export function newTopics() {
  const root = `suite-${++topics}`;
  return { root, all: `${root}/+/+`, below: `${root}/a/#`, topics: [`${root}/a/b`, `${root}/x/c`, `${root}/a/c`] };
}

/** Publishes one message at each QoS, each to its own topic. */
export async function publishEach(
  { client }: TestClient,
  to: string[],
  options: mqtt.IClientPublishOptions = {},
): Promise<void> {
  for (const qos of [0, 1, 2] as const) await client.publishAsync(to[qos]!, `qos ${qos}`, { ...options, qos });
}
