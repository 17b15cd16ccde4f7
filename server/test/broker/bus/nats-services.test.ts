import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { MqttClient } from "mqtt";
import { onPostgres } from "../../harness/database/database.ts";
import {
  closed,
  connectMqtt,
  enrollDevice,
  newTenant,
  type TestDevice,
  type TestTenant,
} from "../../harness/devices.ts";
import { eventually } from "../../harness/eventually.ts";
import { https } from "../../harness/http/https.ts";
import { assertDoctorSays } from "../../harness/processes/doctor-says.ts";
import { NATS_VERSION_FLOOR, type NatsServer, natsMissing, startNats } from "../../harness/processes/nats-server.ts";
import { startServer, type TestServer } from "../../harness/server.ts";
import { eachKnows, received } from "./bus-suite.ts";

/** Two services with separate data folders share a PostgreSQL; the embedded database admits one process. */
describe("two services on one database, connected by NATS", { skip: natsMissing ?? false }, () => {
  if (!onPostgres) return;
  let nats: NatsServer;
  let first: TestServer;
  let second: TestServer;
  let tenant: TestTenant;
  let device: TestDevice;
  let publisher: MqttClient;
  let subscriber: MqttClient;
  let got: ReturnType<typeof received>;

  before(async () => {
    nats = await startNats();
    const env = { MUSTER_NATS_URL: nats.url, MUSTER_TEST_NATS_VERSION_FLOOR: NATS_VERSION_FLOOR };
    first = await startServer({ env });
    second = await startServer({ env, share: first });
    await eachKnows([first.app, second.app]);
    tenant = await newTenant(first);
    device = await enrollDevice(first, tenant);
    publisher = await connectMqtt(first, device);
    const wanted = { clientId: "gateway", username: "gateway", subscribe: [`t/${tenant.slug}/#`] };
    const { password } = await first.app.connections.createMqttClient(tenant.caller, wanted);
    const identity = { deviceId: wanted.clientId, fullchain: "", key: "", ca: first.ca };
    subscriber = await connectMqtt(second, identity, { username: wanted.username, password });
    got = received(subscriber);
    await subscriber.subscribeAsync(`t/${tenant.slug}/#`, { qos: 1 });
  });
  after(async () => {
    for (const client of [publisher, subscriber]) client.end(true);
    await second.stop();
    await first.stop();
    await nats.stop();
  });

  const ready = async ({ httpUrl, ca }: TestServer) => {
    const { status, json } = await https(`${httpUrl}/readyz`, { ca });
    return [status, json.nats];
  };

  test("messages that a device publishes at one service are received at the other in order", async () => {
    const expected = Array.from({ length: 50 }, (_, n) => `{"a":${n}}`);
    for (const payload of expected) await publisher.publishAsync(device.topic, payload, { qos: 1 });
    await got.atLeast(expected.length);
    assert.deepEqual(got.payloads(), expected);
    assert.deepEqual(
      [await ready(first), await ready(second)],
      [
        [200, true],
        [200, true],
      ],
    );
  });

  test("a takeover is recorded in the journal even if the session ended before its process had read of it", async () => {
    const [one, two] = [await enrollDevice(first, tenant), await enrollDevice(first, tenant)];
    const replaced = [await connectMqtt(first, one), await connectMqtt(first, two)];
    const { promise: read, resolve: goOn } = Promise.withResolvers<void>();
    let waits = false;
    first.app.connections.onDrop(async () => {
      if (waits) return;
      waits = true;
      await read;
    });
    const clients = [await connectMqtt(second, one)];
    assert.ok(await eventually(async () => waits));
    clients.push(await connectMqtt(second, two));
    await Promise.all(replaced.map(closed));
    goOn();
    const recorded = async () => {
      const { items } = await first.app.connections.listRefusals(tenant.caller, { skip: 0, limit: 100 });
      return items.filter(({ reason }) => reason === "takeover").map(({ clientId }) => clientId);
    };
    assert.ok(await eventually(async () => (await recorded()).includes(two.deviceId)));
    assert.deepEqual(new Set(await recorded()), new Set([one.deviceId, two.deviceId]));
    for (const client of clients) await client.endAsync();
  });

  test("without NATS, devices are served and their messages stored; subscribers elsewhere receive them when it is back", async () => {
    const before = got.payloads().length;
    await nats.kill();
    assert.ok(await eventually(async () => (await ready(first))[1] === false));
    await publisher.publishAsync(device.topic, '{"a":1000}', { qos: 1 });
    assert.deepEqual(await ready(first), [200, false]);
    await assertDoctorSays(first, [/^no server of MUSTER_NATS_URL answers \(127\.0\.0\.1:\d+\): .*start the servers/]);
    const [latest] = await first.app.telemetry.listLatest(tenant.caller, device.deviceId);
    assert.equal(latest?.value, 1000);
    await nats.start();
    await got.atLeast(before + 1);
    assert.deepEqual(got.payloads().slice(before), ['{"a":1000}']);
    assert.ok(await eventually(async () => (await ready(first))[1] === true));
    await assertDoctorSays(first, [undefined]);
  });
});
