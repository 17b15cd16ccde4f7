import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { MqttClient } from "mqtt";
import { SECOND } from "../../src/lib/clock.ts";
import { received } from "../broker/bus/bus-suite.ts";
import { onPostgres, type TestDatabase, testDatabase } from "../harness/database/database.ts";
import { type DatabaseProxy, databaseProxy } from "../harness/database/database-proxy.ts";
import { closed, connectMqtt, enrollDevice, newTenant, type TestTenant } from "../harness/devices.ts";
import { eventually } from "../harness/eventually.ts";
import { publish, range, storedOf } from "../harness/ingest-stream.ts";
import { startServer, type TestServer } from "../harness/server.ts";

const STORING = "store-telemetry";
const DISCONNECT = Buffer.from([0xe0, 0]);

/** Returns the first position of each number. */
const firsts = (numbers: readonly number[]) => [...new Set(numbers)];

/**
 * A session ends while PostgreSQL has not answered one of its batches. Its device repeats the unacknowledged messages.
 */
describe("messages that a device repeats after a batch without an answer", () => {
  if (!onPostgres) return;
  let database: TestDatabase;
  let proxy: DatabaseProxy;
  let first: TestServer;
  let second: TestServer;
  let tenant: TestTenant;
  let gateway: MqttClient;
  let got: ReturnType<typeof received>;

  before(async () => {
    database = await testDatabase();
    proxy = await databaseProxy(database.url!);
    first = await startServer({ databaseUrl: proxy.url });
    second = await startServer({ databaseUrl: database.url!, clock: first.clock });
    tenant = await newTenant(first);
    const wanted = { clientId: "gateway", username: "gateway", subscribe: [`t/${tenant.slug}/#`] };
    const { password } = await first.app.connections.createMqttClient(tenant.caller, wanted);
    const identity = { deviceId: wanted.clientId, fullchain: "", key: "", ca: first.ca };
    gateway = await connectMqtt(first, identity, { username: wanted.username, password });
    got = received(gateway);
    await gateway.subscribeAsync(`t/${tenant.slug}/#`, { qos: 1 });
  });
  after(async () => {
    gateway?.end(true);
    await second?.stop();
    await first?.stop();
    await proxy?.close();
    await database?.remove();
  });

  /**
   * Returns a device whose session at the first server has ended with messages 1 to 3 unacknowledged, the first of
   * which is in that batch.
   */
  async function unanswered(from: "statement" | "answer") {
    const device = await enrollDevice(first, tenant);
    const client = await connectMqtt(first, device);
    const send = (numbers: readonly number[]) => void publish(client, device, numbers).catch(() => undefined);
    await publish(client, device, [0]);
    const lost = proxy.loseAt(STORING, from);
    send([1]);
    await lost;
    send([2, 3]);
    client.stream.end(DISCONNECT);
    await closed(client);
    assert.ok(await eventually(async () => first.app.telemetry.queue().messages === 3));
    first.clock.advance(SECOND);
    return device;
  }

  for (const from of ["statement", "answer"] as const)
    test(`are stored and delivered in the device's order after the ${from} was lost`, async () => {
      const device = await unanswered(from);
      const before = got.payloads().length;
      const client = await connectMqtt(first, device);
      await publish(client, device, range(1, 5));
      const { numbers } = await storedOf(database.url!, device);
      assert.deepEqual(firsts(numbers), range(0, 5));
      await got.atLeast(before + 4);
      const passedOn = got.payloads().slice(before);
      assert.deepEqual(firsts(passedOn.map((payload) => JSON.parse(payload).n)), range(1, 5));
      client.end(true);
    });

  test("are stored in the device's order if another process has its new session", async () => {
    const device = await unanswered("statement");
    const client = await connectMqtt(second, device);
    await publish(client, device, range(1, 5));
    await first.app.telemetry.drain();
    const { numbers } = await storedOf(database.url!, device);
    assert.deepEqual(firsts(numbers), range(0, 5));
    client.end(true);
  });
});
