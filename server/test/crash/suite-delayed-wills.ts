import assert from "node:assert/strict";
import { before, test } from "node:test";
import type { MqttClient } from "mqtt";
import { onPostgres } from "../harness/database/database.ts";
import { ask } from "../harness/database/postgres.ts";
import { connectMqtt } from "../harness/devices.ts";
import { eventually } from "../harness/eventually.ts";
import type { CrashFixture } from "../harness/processes/crash.ts";

/** Kills the process while a delayed will is being published, and while one may be needed. */
export function delayedWillCrashes(given: () => CrashFixture): void {
  let fixture: CrashFixture;
  before(() => {
    fixture = given();
  });

  // A test cannot end a lease on the embedded database, where the first point would wait for its ten seconds.
  for (const point of onPostgres ? ["will.complete", "will.completed"] : ["will.completed"]) {
    test(`killed at ${point} of a delayed will: it is retained, a stored session receives it once, and its readings are stored once`, async () => {
      const device = await fixture.enroll();
      const reader = await readerOf(fixture, device.topic, point);
      await reader.leave();
      const client = await connectMqtt(fixture.server, device, {
        protocolVersion: 5,
        clean: false,
        properties: { sessionExpiryInterval: 600 },
        will: {
          topic: device.topic,
          payload: Buffer.from('{"gone":1}'),
          qos: 1,
          retain: true,
          properties: { willDelayInterval: 1 },
        },
      });
      client.on("error", () => undefined);
      await fixture.server.arm(`${point}:kill9`);
      client.stream.destroy();
      assert.equal(await fixture.server.ended, null);
      client.end(true);
      await fixture.outdateHeartbeats();
      await endLeases();
      await fixture.restart();
      const received = await reader.resume();
      assert.ok(await eventually(async () => received.length > 0));
      const again = await connectMqtt(fixture.server, device);
      await again.publishAsync(device.topic, '{"back":1}', { qos: 1 });
      await eventually(async () => received.includes('{"back":1}'));
      assert.deepEqual(received, ['{"gone":1}', '{"back":1}']);
      await reader.subscribe();
      assert.ok(await eventually(async () => received.length > 2));
      assert.deepEqual(received.slice(2), ['{"gone":1}'], "the retained message");
      if (fixture.databaseUrl) assert.equal(await readingsOf(device.deviceId), 1);
      await again.endAsync();
      await reader.leave();
    });
  }

  test("killed while a client with a will is connected: the will is published before the client is accepted again", async () => {
    const device = await fixture.enroll();
    const reader = await readerOf(fixture, device.topic, "connected.client");
    await reader.leave();
    const will = { topic: device.topic, payload: Buffer.from('{"gone":1}'), qos: 1 as const, retain: true };
    const client = await connectMqtt(fixture.server, device, { will });
    client.on("error", () => undefined);
    assert.equal(await fixture.server.end("SIGKILL"), null);
    client.end(true);
    await fixture.restart();
    const again = await connectMqtt(fixture.server, device, { will });
    await again.publishAsync(device.topic, '{"back":1}', { qos: 1, retain: true });
    const received = await reader.resume();
    assert.ok(await eventually(async () => received.length > 1));
    await again.endAsync();
    await reader.subscribe();
    assert.ok(await eventually(async () => received.length > 2));
    assert.deepEqual(received, ['{"gone":1}', '{"back":1}', '{"back":1}'], "the last one is retained");
    await reader.leave();
  });

  const endLeases = async () =>
    fixture.databaseUrl && (await ask(fixture.databaseUrl, "UPDATE wills SET leased_until = NULL"));

  async function readingsOf(deviceId: string): Promise<number> {
    const rows = await ask<{ count: string }>(
      fixture.databaseUrl!,
      `SELECT count(*) FROM shared_readings t JOIN devices d ON d.uid = t.device_uid WHERE d.id = '${deviceId}' AND t.metric = 'gone'`,
    );
    return Number(rows[0]!.count);
  }
}

/** Connects a gateway with a stored session that subscribes to a topic. */
async function readerOf(fixture: CrashFixture, topic: string, point: string) {
  const clientId = `reader-${point.replace(".", "-")}`;
  const registered = { clientId, username: clientId, tenant: "acme", publish: [], subscribe: [topic] };
  const { password } = await fixture.server.command("mqtt-client.create", registered);
  const identity = { deviceId: clientId, fullchain: "", key: "", ca: fixture.server.ca };
  const received: string[] = [];
  let client: MqttClient;
  const resume = async () => {
    client = await connectMqtt(fixture.server, identity, { username: clientId, password, clean: false }, (made) =>
      made.on("message", (_topic, text) => void received.push(`${text}`)),
    );
    return received;
  };
  const subscribe = () => client.subscribeAsync(topic, { qos: 1 });
  await resume();
  await subscribe();
  return { resume, subscribe, leave: () => client.endAsync() };
}
