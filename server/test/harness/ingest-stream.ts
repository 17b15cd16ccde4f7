/** Helpers for tests of the ingest stream: services that append, devices that count, and their stored messages. */

import type { MqttClient } from "mqtt";
import { systemClock } from "../../src/lib/clock.ts";
import { testDatabase } from "./database/database.ts";
import { databaseProxy } from "./database/database-proxy.ts";
import { ask } from "./database/postgres.ts";
import type { TestDevice } from "./devices.ts";
import { eventually } from "./eventually.ts";
import { https } from "./http/https.ts";
import { NATS_VERSION_FLOOR, type NatsServer } from "./processes/nats-server.ts";
import { startServer, type TestServer } from "./server.ts";

/** Returns a device's stored values of metric `n`, ordered by time, and the number of its rejected messages. */
export interface StoredNumbers {
  numbers: number[];
  rejected: number;
}

export const range = (from: number, to: number) => Array.from({ length: to - from }, (_, index) => from + index);

/** Publishes messages with these numbers. Resolves when all are acknowledged. */
export async function publish(client: MqttClient, { topic }: Pick<TestDevice, "topic">, numbers: readonly number[]) {
  await Promise.all(numbers.map((n) => client.publishAsync(topic, `{"n":${n}}`, { qos: 1 })));
}

/** The settings of a service with `MUSTER_INGEST=stream`. */
export function streamVariables(nats: readonly NatsServer[]): Record<string, string> {
  return {
    MUSTER_NATS_URL: nats.map(({ url }) => url).join(","),
    MUSTER_TEST_NATS_VERSION_FLOOR: NATS_VERSION_FLOOR,
    MUSTER_INGEST: "stream",
    MUSTER_NATS_STREAM_BYTES: String(64 * 1024 ** 2),
  };
}

/** Services with `MUSTER_INGEST=stream` over one database, which a test can disconnect. */
export async function streamServices(nats: readonly NatsServer[], count: number, more: Record<string, string> = {}) {
  const database = await testDatabase();
  const proxy = await databaseProxy(database.url!);
  const env = { ...streamVariables(nats), MUSTER_NODE_LEASE_SECONDS: "6", ...more };
  const servers: TestServer[] = [];
  const start = async (changes: Record<string, string> = {}) => {
    const server = await startServer({
      env: { ...env, ...changes },
      databaseUrl: proxy.url,
      leaseClock: systemClock,
      machineClock: systemClock,
    });
    servers.push(server);
    return server;
  };
  for (let n = 0; n < count; n++) await start();
  return {
    servers,
    start,
    env,
    /** The direct address of the database, without the proxy. */
    url: database.url!,
    proxy,
    async stop() {
      proxy.heal();
      for (const server of servers.toReversed()) await server.stop();
      await proxy.close();
      await database.remove();
    },
  };
}

export async function storedOf(url: string, { deviceId }: Pick<TestDevice, "deviceId">): Promise<StoredNumbers> {
  const of = `device_uid = (SELECT uid FROM devices WHERE id = '${deviceId}')`;
  const read = `SELECT number FROM shared_readings WHERE metric = 'n' AND ${of} ORDER BY ts`;
  const rows = await ask<{ number: number }>(url, read);
  const [row] = await ask<{ count: string }>(url, `SELECT count(*) FROM rejected_messages WHERE ${of}`);
  return { numbers: rows.map(({ number }) => number), rejected: Number(row!.count) };
}

/** Waits until the last number of a device is stored. */
export async function storedUpTo(url: string, device: Pick<TestDevice, "deviceId">, last: number) {
  return await eventually(async () => {
    const stored = await storedOf(url, device);
    return stored.numbers.at(-1) === last ? stored : undefined;
  });
}

/** Waits until a probe has found out whether the stream accepts messages. */
export async function streamIs(server: TestServer, expected: boolean) {
  return await eventually(async () => {
    const { json } = await https(`${server.httpUrl}/readyz`, { ca: server.ca });
    return json.stream === expected;
  });
}
