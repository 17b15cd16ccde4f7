import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { sql } from "kysely";
import type mqtt from "mqtt";
import { MINUTE, SECOND } from "../../../src/lib/clock.ts";
import { installFaultHook } from "../../../src/lib/fault-points.ts";
import { randomIds } from "../../../src/lib/ids.ts";
import { DEFAULT_POOLS } from "../../../src/lib/limits/pools.ts";
import { onPostgres } from "../../harness/database/database.ts";
import { connectMqtt, enrollDevice, newTenant, type TestDevice, type TestTenant } from "../../harness/devices.ts";
import { eventually } from "../../harness/eventually.ts";
import { startServer, type TestServer } from "../../harness/server.ts";

/** Delayed wills (MQTT 5, 3.1.3.2.2). */
let server: TestServer;
let tenant: TestTenant;
let watchers = 0;

before(async () => {
  server = await startServer();
  tenant = await newTenant(server);
});
after(async () => {
  await server.stop();
});

interface Asked {
  delay?: number;
  expiry?: number;
  clean?: boolean;
  retain?: boolean;
  at?: TestServer;
}

/** What a client publishes once it is back. */
const BACK = '{"back":1}';

/** Connects a device with a delayed will. */
function withWill(
  device: TestDevice,
  { delay = 30, expiry = 300, clean = false, retain = false, at = server }: Asked = {},
) {
  return connectMqtt(at, device, {
    protocolVersion: 5,
    clean,
    properties: { sessionExpiryInterval: expiry },
    will: {
      topic: device.topic,
      payload: Buffer.from("gone"),
      qos: 1,
      retain,
      properties: { willDelayInterval: delay, contentType: "text/plain" },
    },
  });
}

/** Collects what arrives on the topic of a device. */
async function watch({ topic }: TestDevice, at: TestServer = server) {
  const name = `watcher-${tenant.slug}-${watchers++}`;
  const registered = { clientId: name, username: name, subscribe: [topic] };
  const { password } = await server.app.connections.createMqttClient(tenant.caller, registered);
  const identity = { deviceId: name, fullchain: "", key: "", ca: server.ca };
  const client = await connectMqtt(at, identity, { username: name, password, protocolVersion: 5 });
  const received: mqtt.IPublishPacket[] = [];
  client.on("message", (_topic, _payload, packet) => void received.push(packet));
  await client.subscribeAsync(topic, { qos: 1 });
  return { client, received, payloads: () => received.map(({ payload }) => `${payload}`) };
}

/** Resolves when the end of the connection is stored. */
async function broken(device: TestDevice, client: mqtt.MqttClient): Promise<void> {
  client.stream.destroy();
  assert.ok(await eventually(async () => (await willOf(device))?.due_at));
}

const willOf = ({ topic }: TestDevice) =>
  server.app.database.db.selectFrom("wills").selectAll().where("topic", "=", topic).executeTakeFirst();

const retainedOf = ({ topic }: TestDevice) =>
  server.app.database.db.selectFrom("retained_messages").selectAll().where("topic", "=", topic).execute();

/** Makes the processes wait before they store and delete a will. */
function beforeCompletion() {
  const opened = Promise.withResolvers<void>();
  let waiting = 0;
  installFaultHook((point) => {
    if (point !== "will.complete") return undefined;
    waiting++;
    return opened.promise;
  });
  const release = () => {
    installFaultHook(() => undefined);
    opened.resolve();
  };
  return { have: (count: number) => eventually(async () => waiting === count), release };
}

/** Takes all database connections of a process except those that open and close sessions, until they are released. */
async function occupy({ app }: TestServer): Promise<() => Promise<void>> {
  const released = Promise.withResolvers<void>();
  const began = Array.from({ length: DEFAULT_POOLS.main }, () => Promise.withResolvers<void>());
  const idle = began.map(({ resolve }) =>
    app.database.db.transaction().execute(async (tx) => {
      await sql`SELECT 1`.execute(tx);
      resolve();
      await released.promise;
    }),
  );
  await Promise.all(began.map(({ promise }) => promise));
  return async () => {
    released.resolve();
    await Promise.all(idle);
  };
}

const arrives = async ({ payloads }: { payloads: () => string[] }) => {
  assert.ok(await eventually(async () => payloads().length > 0));
  assert.deepEqual(payloads(), ["gone"]);
};

test("a will is published after its delay, with its properties", async () => {
  const device = await enrollDevice(server, tenant);
  const watcher = await watch(device);
  await broken(device, await withWill(device));
  const due = (await willOf(device))!.due_at!;
  assert.equal(due.getTime() - server.clock.now().getTime(), 30 * SECOND);
  server.clock.advance(30 * SECOND);
  await arrives(watcher);
  assert.equal(watcher.received[0]!.properties?.contentType, "text/plain");
  assert.ok(await eventually(async () => (await willOf(device)) === undefined));
  await watcher.client.endAsync();
});

test("the will of a client that resumes its session before the delay is over is not published", async () => {
  const device = await enrollDevice(server, tenant);
  const watcher = await watch(device);
  await broken(device, await withWill(device));
  const again = await withWill(device);
  assert.equal((await willOf(device))!.due_at, null, "the will of this connection, which lasts");
  server.clock.advance(MINUTE);
  await again.publishAsync(device.topic, BACK, { qos: 1 });
  assert.ok(await eventually(async () => watcher.received.length > 0));
  assert.deepEqual(watcher.payloads(), [BACK]);
  await again.endAsync();
  assert.ok(await eventually(async () => (await willOf(device)) === undefined), "a normal end voids the will");
  await watcher.client.endAsync();
});

test("a will waits no longer than its session lasts: it expires, or the client starts a new one", async () => {
  const device = await enrollDevice(server, tenant);
  const watcher = await watch(device);
  await broken(device, await withWill(device, { delay: 3_600, expiry: 20 }));
  server.clock.advance(20 * SECOND);
  await arrives(watcher);
  await broken(device, await withWill(device));
  const fresh = await withWill(device, { clean: true });
  assert.ok(await eventually(async () => watcher.received.length === 2), "the former session has ended");
  await fresh.endAsync();
  await watcher.client.endAsync();
});

test("without a session that outlives the connection, or without a delay, a will is published immediately", async () => {
  for (const asked of [{ expiry: 0, clean: true }, { delay: 0 }]) {
    const device = await enrollDevice(server, tenant);
    const watcher = await watch(device);
    const client = await withWill(device, asked);
    assert.equal((await willOf(device))!.due_at, null, "stored, for the case that the process ends without a word");
    client.stream.destroy();
    await arrives(watcher);
    assert.equal(await willOf(device), undefined);
    await watcher.client.endAsync();
  }
});

test("a will without a delay is discarded by a normal disconnect, and by the stop of the service", async () => {
  const stopping = await startServer();
  const other = await newTenant(stopping);
  const [left, last] = [await enrollDevice(stopping, other), await enrollDevice(stopping, other)];
  const leaving = await withWill(left, { delay: 0, at: stopping });
  const client = await withWill(last, { delay: 0, at: stopping });
  const wills = () => stopping.app.database.db.selectFrom("wills").select("topic").orderBy("topic").execute();
  await leaving.endAsync();
  assert.ok(await eventually(async () => (await wills()).every(({ topic }) => topic === last.topic)));
  await stopping.app.broker.stop();
  assert.deepEqual(await wills(), []);
  client.end(true);
  await stopping.stop();
});

test("the will of a connection whose process crashed is published before its client is accepted again", async () => {
  const device = await enrollDevice(server, tenant);
  const watcher = await watch(device);
  const client = await withWill(device, { delay: 0 });
  const { session_id } = (await willOf(device))!;
  // The state after a process was killed: the will, and a session that only the database knows.
  const unknown = randomIds.uuid(server.clock.now());
  const { db } = server.app.database;
  await db.updateTable("wills").set({ session_id: unknown }).where("session_id", "=", session_id).execute();
  const again = await withWill(device, { delay: 0 });
  await again.publishAsync(device.topic, BACK, { qos: 1 });
  assert.ok(await eventually(async () => watcher.payloads().includes(BACK)));
  assert.deepEqual(watcher.payloads(), ["gone", BACK]);
  client.end(true);
  for (const each of [again, watcher.client]) await each.endAsync();
});

test("clients are accepted while others wait for the wills of their earlier connections", async () => {
  const narrow = await startServer({ env: { MUSTER_LIMIT_MQTT_CONNECTING: "1" } });
  const other = await newTenant(narrow);
  const [lost, present] = [await enrollDevice(narrow, other), await enrollDevice(narrow, other)];
  const client = await withWill(lost, { delay: 0, at: narrow });
  // The state after the loss of a machine whose lease has not ended.
  const { db } = narrow.app.database;
  const [node, unknown] = [randomIds.uuid(narrow.clock.now()), randomIds.uuid(narrow.clock.now())];
  await db
    .insertInto("broker_nodes")
    .values({
      id: node,
      started_at: sql`now()`,
      beat_at: sql`now() + interval '1 hour'`,
      lease_seconds: 10,
      schema_number: 1,
      part: "serve",
    })
    .execute();
  await db.insertInto("complete_nodes").values({ node_id: node }).execute();
  await db.updateTable("mqtt_sessions").set({ session_id: unknown, node_id: node }).execute();
  await db.updateTable("wills").set({ session_id: unknown }).execute();
  let isBack = false;
  const again = withWill(lost, { delay: 0, at: narrow }).finally(() => {
    isBack = true;
  });
  const sessions = () => db.selectFrom("mqtt_sessions").select("session_id").execute();
  assert.ok(await eventually(async () => (await sessions()).every(({ session_id }) => session_id !== unknown)));
  const beside = await connectMqtt(narrow, present);
  assert.equal(isBack, false);
  for (const each of [beside, await again, client]) each.end(true);
  await narrow.stop();
});

test("revoking the certificate and deleting the device discard a pending will", async () => {
  const [revoked, deleted] = [await enrollDevice(server, tenant), await enrollDevice(server, tenant)];
  for (const device of [revoked, deleted]) await broken(device, await withWill(device));
  const { deviceId } = revoked;
  const { items } = await server.app.certificates.listCertificates(tenant.caller, { deviceId, skip: 0, limit: 1 });
  await server.app.enrollment.revokeCertificate(tenant.caller, items[0]!.id);
  await server.app.enrollment.deleteDevice(tenant.caller, deleted.deviceId);
  for (const device of [revoked, deleted]) assert.equal(await willOf(device), undefined);
});

test("the will of a connection whose process crashed is also published if its client does not return", async () => {
  const device = await enrollDevice(server, tenant);
  const watcher = await watch(device);
  const client = await withWill(device);
  await server.app.database.db.deleteFrom("mqtt_sessions").where("client_id", "=", device.deviceId).execute();
  await server.app.connections.prune();
  server.clock.advance(30 * SECOND);
  await arrives(watcher);
  client.end(true);
  await watcher.client.endAsync();
});

test("a will is published as a whole: if its client is back before it is stored, it is not retained either", async () => {
  const device = await enrollDevice(server, tenant);
  const watcher = await watch(device);
  await broken(device, await withWill(device, { retain: true }));
  const completion = beforeCompletion();
  server.clock.advance(30 * SECOND);
  assert.ok(await completion.have(1));
  const again = await connectMqtt(server, device, { protocolVersion: 5, clean: false });
  completion.release();
  await again.publishAsync(device.topic, BACK, { qos: 1 });
  assert.ok(await eventually(async () => watcher.received.length > 0));
  assert.deepEqual(watcher.payloads(), [BACK]);
  assert.deepEqual(await retainedOf(device), []);
  for (const client of [again, watcher.client]) await client.endAsync();
});

/** Two servers share a PostgreSQL; the embedded database admits one process. */
describe("two processes", () => {
  if (!onPostgres) return;
  let other: TestServer;
  before(async () => {
    other = await startServer({ share: server });
  });
  after(() => other.stop());

  test("one of the processes publishes a will once, and not if the client is back at the other", async () => {
    const [gone, back] = [await enrollDevice(server, tenant), await enrollDevice(server, tenant)];
    const watching = [await watch(gone), await watch(gone, other), await watch(back), await watch(back, other)];
    for (const device of [gone, back]) await broken(device, await withWill(device));
    const again = await withWill(back, { at: other });
    server.clock.advance(30 * SECOND);
    assert.ok(await eventually(async () => (await willOf(gone)) === undefined));
    const [here, there, ...none] = watching as [(typeof watching)[0], (typeof watching)[0], ...typeof watching];
    await eventually(async () => here.received.length + there.received.length > 0);
    assert.deepEqual([...here.payloads(), ...there.payloads()], ["gone"]);
    assert.deepEqual(
      none.flatMap(({ payloads }) => payloads()),
      [],
    );
    await again.endAsync();
    for (const { client } of watching) await client.endAsync();
  });

  test("a will is not published after a normal disconnect that one process has not stored when the client is back at the other", async () => {
    const device = await enrollDevice(server, tenant);
    const watcher = await watch(device, other);
    const client = await withWill(device, { delay: 0 });
    const { session_id: ended } = (await willOf(device))!;
    const release = await occupy(server);
    await client.endAsync();
    const again = withWill(device, { delay: 0, at: other });
    const { db } = other.app.database;
    const current = db.selectFrom("mqtt_sessions").select("session_id").where("client_id", "=", device.deviceId);
    const will = db.selectFrom("wills").select("due_at").where("session_id", "=", ended);
    assert.ok(await eventually(async () => (await current.execute()).some(({ session_id }) => session_id !== ended)));
    for (let read = 0; read < 20; read++) assert.equal((await will.executeTakeFirstOrThrow()).due_at, null);
    await release();
    await (await again).publishAsync(device.topic, BACK, { qos: 1 });
    assert.ok(await eventually(async () => watcher.payloads().includes(BACK)));
    assert.deepEqual(watcher.payloads(), [BACK]);
    for (const each of [await again, watcher.client]) await each.endAsync();
  });

  test("a will whose lease ends while a slow process publishes it is published once", async () => {
    const device = await enrollDevice(server, tenant);
    const watching = [await watch(device), await watch(device, other)];
    await broken(device, await withWill(device, { retain: true }));
    const completion = beforeCompletion();
    server.clock.advance(30 * SECOND);
    assert.ok(await completion.have(1));
    server.clock.advance(10 * SECOND);
    assert.ok(await completion.have(2), "another process has leased it");
    completion.release();
    assert.ok(await eventually(async () => watching.some(({ received }) => received.length > 0)));
    const again = await connectMqtt(server, device, { protocolVersion: 5, clean: false });
    await again.publishAsync(device.topic, BACK, { qos: 1, retain: true });
    const received = () => watching.flatMap(({ payloads }) => payloads());
    assert.ok(await eventually(async () => received().includes(BACK)));
    assert.deepEqual(
      received().filter((payload) => payload === "gone"),
      ["gone"],
    );
    const retained = await retainedOf(device);
    assert.deepEqual(
      retained.map(({ payload }) => `${payload}`),
      [BACK],
    );
    await again.endAsync();
    for (const { client } of watching) await client.endAsync();
  });
});
