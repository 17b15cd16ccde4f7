import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import type mqtt from "mqtt";
import { type FaultPoint, installFaultHook } from "../../../src/lib/fault-points.ts";
import { onPostgres } from "../../harness/database/database.ts";
import { connectMqtt, enrollDevice, newTenant, type TestDevice, type TestTenant } from "../../harness/devices.ts";
import { eventually } from "../../harness/eventually.ts";
import { startServer, type TestServer } from "../../harness/server.ts";

const PART = { role: "serve", workers: 2 } as const;
const STORED = { clean: false };

/** Several processes need PostgreSQL: the embedded database has one. */
describe("a stored session that moves between two workers and a separate service", () => {
  if (!onPostgres) return;
  let alone: TestServer;
  let workers: [TestServer, TestServer];
  let folder: string;
  let tenant: TestTenant;
  let gateways = 0;
  const gates = new Map<FaultPoint, { arrived(): void; opened: Promise<void> }>();

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "muster-handover-"));
    alone = await startServer();
    const options = { share: alone, dataDir: folder, part: PART };
    workers = [await startServer(options), await startServer(options)];
    tenant = await newTenant(alone);
    await alone.app.devices.updateDeviceType(tenant.caller, tenant.deviceTypeId, {
      subscribeTopics: ["commands/{deviceId}"],
    });
    installFaultHook((point) => {
      const gate = gates.get(point);
      gate?.arrived();
      return gate?.opened;
    });
  });
  after(async () => {
    installFaultHook(() => undefined);
    for (const each of workers) await each.stop();
    await alone.stop();
    await rm(folder, { recursive: true });
  });

  /** Makes arrivals at `point` wait until `release`. */
  function waitAt(point: FaultPoint) {
    const arrived = Promise.withResolvers<void>();
    const opened = Promise.withResolvers<void>();
    gates.set(point, { arrived: arrived.resolve, opened: opened.promise });
    const release = () => {
      gates.delete(point);
      opened.resolve();
    };
    return { arrived: arrived.promise, release };
  }

  const topicOf = ({ deviceId }: TestDevice) => `t/${tenant.slug}/commands/${deviceId}`;

  /** Publishes numbers to a device at QoS 1. */
  async function sender(at: TestServer, device: TestDevice) {
    const name = `gateway-${tenant.slug}-${gateways++}`;
    const registered = { clientId: name, username: name, publish: [topicOf(device)] };
    const { password } = await alone.app.connections.createMqttClient(tenant.caller, registered);
    const identity = { deviceId: name, fullchain: "", key: "", ca: alone.ca };
    const client = await connectMqtt(at, identity, { username: name, password });
    return async (...numbers: number[]) => {
      for (const n of numbers) await client.publishAsync(topicOf(device), `${n}`, { qos: 1 });
      return client;
    };
  }

  async function resume(at: TestServer, device: TestDevice, received: string[]): Promise<mqtt.MqttClient> {
    const client = await connectMqtt(at, device, STORED, (made) =>
      made.on("message", (_topic, payload) => void received.push(`${payload}`)),
    );
    return client;
  }

  const has = async (received: string[], expected: string[]) => {
    await eventually(async () => received.length >= expected.length);
    assert.deepEqual(received, expected);
  };

  test("messages that one worker stores while the other resumes the session are delivered on that connection", async () => {
    const [device, received] = [await enrollDevice(alone, tenant), [] as string[]];
    const first = await resume(workers[1], device, received);
    await first.subscribeAsync(topicOf(device), { qos: 1 });
    await first.endAsync();
    const publish = await sender(workers[0], device);
    await publish(0);
    const resumed = waitAt("stored.resumed");
    const connecting = resume(workers[1], device, received);
    await resumed.arrived;
    await publish(1, 2);
    resumed.release();
    const client = await connecting;
    const gateway = await publish(3);
    await has(received, ["0", "1", "2", "3"]);
    await Promise.all([client.endAsync(), gateway.endAsync()]);
  });

  test("messages that one worker receives while the other stores a disconnect wait for the next connection", async () => {
    const [device, received] = [await enrollDevice(alone, tenant), [] as string[]];
    const first = await resume(workers[1], device, received);
    await first.subscribeAsync(topicOf(device), { qos: 1 });
    const publish = await sender(workers[0], device);
    await publish(0);
    await has(received, ["0"]);
    const parting = waitAt("stored.part");
    await first.endAsync();
    await parting.arrived;
    await publish(1, 2);
    parting.release();
    const client = await resume(workers[0], device, received);
    const gateway = await publish(3);
    await has(received, ["0", "1", "2", "3"]);
    await Promise.all([client.endAsync(), gateway.endAsync()]);
  });

  test("a worker that has not read a session's change takes no message for it that would be lost", async () => {
    const [device, received] = [await enrollDevice(alone, tenant), [] as string[]];
    const reading = waitAt("stored.changed");
    const first = await resume(workers[1], device, received);
    await first.subscribeAsync(topicOf(device), { qos: 1 });
    const publish = await sender(workers[0], device);
    await publish(0);
    await has(received, ["0"]);
    await first.endAsync();
    assert.ok(await eventually(async () => (await storedOf(device))?.expires_at), "its end is stored");
    await publish(1, 2);
    const client = await resume(workers[1], device, received);
    await publish(3);
    reading.release();
    const gateway = await publish(4);
    await has(received, ["0", "1", "2", "3", "4"]);
    await Promise.all([client.endAsync(), gateway.endAsync()]);
  });

  test("a message at the separate service reaches a client with a stored session at a worker", async () => {
    const [device, received] = [await enrollDevice(alone, tenant), [] as string[]];
    const client = await resume(workers[0], device, received);
    await client.subscribeAsync(topicOf(device), { qos: 1 });
    const publish = await sender(alone, device);
    // Retries until that service has read of the subscription.
    let n = 0;
    assert.ok(await eventually(async () => (await publish(n++)) && received.length > 0));
    const gateway = await publish(n, n + 1);
    const first = Number(received[0]);
    await has(
      received,
      Array.from({ length: n + 2 - first }, (_, at) => `${first + at}`),
    );
    await Promise.all([client.endAsync(), gateway.endAsync()]);
  });

  const storedOf = ({ deviceId }: TestDevice) =>
    alone.app.database.db
      .selectFrom("stored_sessions")
      .select("expires_at")
      .where("client_id", "=", deviceId)
      .executeTakeFirst();
});
