import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type mqtt from "mqtt";
import { DAY, MINUTE, SECOND } from "../../src/lib/clock.ts";
import { onPostgres } from "../harness/database/database.ts";
import { connectMqtt, enrollDevice, newTenant, renew, type TestDevice, type TestTenant } from "../harness/devices.ts";
import { eventually } from "../harness/eventually.ts";
import { startServer, type TestServer } from "../harness/server.ts";
import { connectPacket, DISCONNECT, type RawClient, rawClient, subscribePacket } from "./raw-client.ts";

/** Sessions that outlive their connection (MQTT 3.1.1, 3.1.2.4; MQTT 5, 4.1). */
let server: TestServer;
let tenant: TestTenant;

const CAP = 10;

before(async () => {
  server = await startServer({ env: { MUSTER_LIMIT_STORED_MESSAGES: `${CAP}`, MUSTER_LIMIT_STORED_BYTES: "20000" } });
  tenant = await newTenant(server);
  await listTopics(["commands/{deviceId}", "settings/{deviceId}"]);
});
after(async () => {
  await server.stop();
});

const listTopics = (subscribeTopics: string[]) =>
  server.app.devices.updateDeviceType(tenant.caller, tenant.deviceTypeId, { subscribeTopics });

const topicOf = ({ deviceId }: TestDevice, name = "commands") => `t/${tenant.slug}/${name}/${deviceId}`;

/** A gateway that may publish on the topics to which these devices subscribe. */
async function gatewayFor(devices: TestDevice[], at: TestServer = server, options: mqtt.IClientOptions = {}) {
  const publish = devices.flatMap((device) => [topicOf(device), topicOf(device, "settings")]);
  const name = `gateway-${devices[0]!.deviceId.slice(0, 20)}`;
  const { password } = await server.app.connections.createMqttClient(tenant.caller, {
    clientId: name,
    username: name,
    publish,
  });
  const identity = { deviceId: name, fullchain: "", key: "", ca: server.ca };
  return await connectMqtt(at, identity, { username: name, password, ...options });
}

const STORED = { clean: false };

/** A connected client that has received its queued messages. */
interface Resumed {
  client: mqtt.MqttClient;
  isPresent: boolean;
  received: string[];
}

/** Connects without subscribing, and collects messages from the first one on. */
async function resume(
  device: TestDevice,
  at: TestServer = server,
  options: mqtt.IClientOptions = {},
): Promise<Resumed> {
  const received: string[] = [];
  let isPresent = false;
  const client = await connectMqtt(at, device, { ...STORED, ...options }, (made) => {
    made.on("message", (_topic, payload) => void received.push(`${payload}`));
    made.on("connect", ({ sessionPresent }) => {
      isPresent = sessionPresent;
    });
  });
  return { client, isPresent, received };
}

/** A device that has subscribed and disconnected. */
async function leave(device: TestDevice, topics: string[], at: TestServer = server, options: mqtt.IClientOptions = {}) {
  const { client } = await resume(device, at, options);
  await client.subscribeAsync(topics, { qos: 2 });
  await client.endAsync();
  await parted(device);
}

const storedOf = async ({ deviceId }: TestDevice) =>
  await server.app.database.db
    .selectFrom("stored_sessions as s")
    .innerJoin("shared_devices as d", "d.uid", "s.owner_id")
    .select(["s.expires_at", "s.owner_id"])
    .where("d.id", "=", deviceId)
    .executeTakeFirst();

const messagesOf = async (device: TestDevice) =>
  await server.app.database.db
    .selectFrom("stored_messages")
    .select(["payload", "packet_id", "released"])
    .where("owner_id", "=", (await storedOf(device))?.owner_id ?? "00000000-0000-0000-0000-000000000000")
    .orderBy("position")
    .execute();

/** Resolves when the end of the connection is stored. */
const parted = (device: TestDevice) =>
  eventually(async () => (await storedOf(device))?.expires_at).then((at) => assert.ok(at, "the session is stored"));

const empty = (device: TestDevice) =>
  eventually(async () => (await messagesOf(device)).length === 0).then((done) => assert.ok(done));

const arrived = ({ received }: Resumed, expected: string[]) =>
  eventually(async () => received.length >= expected.length).then(() => assert.deepEqual(received, expected));

test("messages of QoS 1 and 2 for an offline client are queued in order, and its subscriptions stay", async () => {
  const device = await enrollDevice(server, tenant);
  const first = await resume(device);
  assert.equal(first.isPresent, false);
  await first.client.endAsync();
  await leave(device, [topicOf(device)]);
  const sender = await gatewayFor([device]);
  for (const [n, qos] of ([1, 1, 0, 2] as const).entries()) await sender.publishAsync(topicOf(device), `${n}`, { qos });
  await sender.publishAsync(topicOf(device, "settings"), "not subscribed", { qos: 1 });
  const again = await resume(device);
  assert.equal(again.isPresent, true);
  await arrived(again, ["0", "1", "3"]);
  await sender.publishAsync(topicOf(device), "live", { qos: 1 });
  await arrived(again, ["0", "1", "3", "live"]);
  await empty(device);
  await again.client.endAsync();
  await parted(device);
  const last = await resume(device);
  await sender.publishAsync(topicOf(device), "once", { qos: 1 });
  await arrived(last, ["once"]);
  await Promise.all([last.client.endAsync(), sender.endAsync()]);
});

/** A raw client with a stored session. */
async function rawStored(device: TestDevice, flags = 0): Promise<RawClient> {
  const client = await rawClient({ port: server.mqttPort }, device);
  client.send(connectPacket({ clientId: device.deviceId, flags }));
  await client.atLeast(4);
  return client;
}

test("unacknowledged messages are sent again under their packet id with DUP, and received ones are released", async () => {
  const device = await enrollDevice(server, tenant);
  const client = await rawStored(device);
  client.send(subscribePacket(1, topicOf(device)));
  client.send([0x82, ...subscribePacket(2, topicOf(device, "settings")).subarray(1, -1), 2]);
  await client.atLeast(4 + 5 + 5);
  const sender = await gatewayFor([device]);
  await sender.publishAsync(topicOf(device), "one", { qos: 1 });
  await sender.publishAsync(topicOf(device, "settings"), "two", { qos: 2 });
  const before = await client.atLeast(14 + 2 * (2 + 2 + topicOf(device).length + 2 + 3));
  const [one, two] = ["one", "two"].map((text) => before.readUInt16BE(before.indexOf(text) - 2)) as [number, number];
  client.send([0x50, 2, two >> 8, two & 255]);
  assert.ok(await eventually(async () => client.received().includes(Buffer.of(0x62, 2, two >> 8, two & 255))));
  client.send(DISCONNECT);
  await client.ended;
  await parted(device);
  await sender.publishAsync(topicOf(device), "new", { qos: 1 });
  const again = await rawStored(device);
  const expected = Buffer.concat([
    Buffer.of(0x20, 2, 1, 0),
    publishOf(device, "one", 0x3a, one),
    Buffer.of(0x62, 2, two >> 8, two & 255),
  ]);
  const bytes = await again.atLeast(expected.length + 5);
  assert.deepEqual(bytes.subarray(0, expected.length), expected);
  assert.ok(await eventually(async () => again.received().includes("new")));
  const fresh = again.received().readUInt16BE(again.received().indexOf("new") - 2);
  assert.ok(fresh !== one && fresh !== two, "an id in use is not given to another message");
  again.send([0x40, 2, one >> 8, one & 255], [0x70, 2, two >> 8, two & 255], [0x40, 2, fresh >> 8, fresh & 255]);
  await empty(device);
  again.socket.destroy();
  await sender.endAsync();
});

function publishOf(device: TestDevice, payload: string, first: number, id: number): Buffer {
  const topic = Buffer.from(topicOf(device));
  const body = Buffer.concat([Buffer.of(0, topic.length), topic, Buffer.of(id >> 8, id & 255), Buffer.from(payload)]);
  return Buffer.concat([Buffer.of(first, body.length), body]);
}

test("a clean session deletes the stored one, and a client that never requested a stored session has none", async () => {
  const device = await enrollDevice(server, tenant);
  await leave(device, [topicOf(device)]);
  const clean = await resume(device, server, { clean: true });
  assert.equal(clean.isPresent, false);
  assert.equal(await storedOf(device), undefined);
  await clean.client.subscribeAsync(topicOf(device), { qos: 1 });
  await clean.client.endAsync();
  const after = await resume(device);
  assert.equal(after.isPresent, false);
  await after.client.endAsync();
});

const FIVE = { protocolVersion: 5 } as const;
const expiring = (seconds: number) => ({ ...FIVE, properties: { sessionExpiryInterval: seconds } });

test("an MQTT 5 session expires after its interval, and a DISCONNECT may shorten the interval", async () => {
  const device = await enrollDevice(server, tenant);
  await leave(device, [topicOf(device)], server, expiring(60));
  server.clock.advance(59 * SECOND);
  const second = await resume(device, server, expiring(60));
  assert.equal(second.isPresent, true);
  await second.client.endAsync();
  await parted(device);
  server.clock.advance(MINUTE);
  assert.equal(await gone(device, expiring(60)), true, "60 seconds have passed");
  await parted(device);
  const { client } = await resume(device, server, expiring(60));
  await client.endAsync(false, { properties: { sessionExpiryInterval: 0 } });
  assert.ok(await eventually(async () => (await storedOf(device)) === undefined));
});

/** Returns whether a new connection finds no stored session. */
async function gone(device: TestDevice, options: mqtt.IClientOptions): Promise<boolean> {
  const { client, isPresent } = await resume(device, server, options);
  await client.endAsync();
  return !isPresent;
}

test("a message that expires while its client is offline is not delivered, and another carries its remaining expiry", async () => {
  const device = await enrollDevice(server, tenant);
  await leave(device, [topicOf(device)], server, expiring(3_600));
  const sender = await gatewayFor([device], server, FIVE);
  const send = (payload: string, messageExpiryInterval: number) =>
    sender.publishAsync(topicOf(device), payload, { qos: 1, properties: { messageExpiryInterval, contentType: "x" } });
  await send("short", 10);
  await send("long", 100);
  server.clock.advance(40 * SECOND);
  const expiry = new Promise<object>((resolve) => {
    void connectMqtt(server, device, { ...STORED, ...expiring(3_600) }, (made) =>
      made.once("message", (_topic, payload, { properties }) => resolve({ payload: `${payload}`, ...properties })),
    ).then((client) => expiry.then(() => client.endAsync()));
  });
  assert.deepEqual({ ...(await expiry) }, { payload: "long", messageExpiryInterval: 60, contentType: "x" });
  await sender.endAsync();
});

test("a queued message keeps the identifiers of all matching subscriptions", async () => {
  const device = await enrollDevice(server, tenant);
  const { client } = await resume(device, server, expiring(3_600));
  const subscribe = (topic: string, subscriptionIdentifier: number) =>
    client.subscribeAsync(topic, { qos: 1, properties: { subscriptionIdentifier } });
  await subscribe(topicOf(device), 7);
  await subscribe(topicOf(device, "settings"), 268_435_455);
  await client.endAsync();
  await parted(device);
  const sender = await gatewayFor([device], server, FIVE);
  for (const name of ["commands", "settings"]) await sender.publishAsync(topicOf(device, name), name, { qos: 1 });
  const seen: [string, unknown][] = [];
  const again = await connectMqtt(server, device, { ...STORED, ...expiring(3_600) }, (made) =>
    made.on("message", (_topic, payload, { properties }) => {
      seen.push([`${payload}`, properties?.subscriptionIdentifier]);
    }),
  );
  assert.ok(await eventually(async () => seen.length === 2));
  assert.deepEqual(seen, [
    ["commands", 7],
    ["settings", 268_435_455],
  ]);
  await Promise.all([again.endAsync(), sender.endAsync()]);
});

test("a stored session queues a limited number of messages and bytes; the newest ones are dropped and counted", async () => {
  const device = await enrollDevice(server, tenant);
  const sender = await gatewayFor([device]);
  const before = await refused();
  await leave(device, [topicOf(device)]);
  await Promise.all(
    Array.from({ length: CAP + 3 }, (_, n) => sender.publishAsync(topicOf(device), `${n}`, { qos: 1 })),
  );
  const resumed = await resume(device);
  await arrived(
    resumed,
    Array.from({ length: CAP }, (_, n) => `${n}`),
  );
  assert.equal((await refused()) - before, 3);
  await empty(device);
  await resumed.client.endAsync();
  await parted(device);
  for (const fill of ["a", "b", "c"]) await sender.publishAsync(topicOf(device), fill.repeat(9_000), { qos: 1 });
  assert.deepEqual(
    (await messagesOf(device)).map(({ payload }) => `${payload}`[0]),
    ["a", "b"],
  );
  assert.equal((await refused()) - before, 4);
  await sender.endAsync();
});

async function refused(): Promise<number> {
  return Number(/^muster_stored_messages_refused_total (\d+)/m.exec(await server.app.metrics.text())![1]);
}

test("a revoked certificate and the deletion of the device end the stored session; an admin's disconnect does not", async () => {
  const { connections, certificates, enrollment } = server.app;
  const [revoked, deleted, disconnected] = [
    await enrollDevice(server, tenant),
    await enrollDevice(server, tenant),
    await enrollDevice(server, tenant),
  ];
  for (const device of [revoked, deleted, disconnected]) await leave(device, [topicOf(device)]);
  const { items } = await certificates.listCertificates(tenant.caller, {
    deviceId: revoked.deviceId,
    skip: 0,
    limit: 1,
  });
  await enrollment.revokeCertificate(tenant.caller, items[0]!.id);
  const { owner_id: deletedOwner } = (await storedOf(deleted))!;
  await enrollment.deleteDevice(tenant.caller, deleted.deviceId);
  await connections.disconnectDevice(tenant.caller, disconnected.deviceId);
  assert.equal(await storedOf(revoked), undefined);
  const { db } = server.app.database;
  const left = db.selectFrom("stored_sessions").select("owner_id").where("owner_id", "=", deletedOwner);
  assert.deepEqual(await left.execute(), []);
  const { client } = await resume(disconnected);
  await connections.disconnectDevice(tenant.caller, disconnected.deviceId);
  await eventually(async () => !client.connected);
  await parted(disconnected);
});

test("a device whose new certificate no longer lists a topic receives nothing of it", async () => {
  const device = await enrollDevice(server, tenant);
  await leave(device, [topicOf(device), topicOf(device, "settings")]);
  const sender = await gatewayFor([device]);
  await sender.publishAsync(topicOf(device), "not any more", { qos: 1 });
  await listTopics(["settings/{deviceId}"]);
  const { answer, key } = await renew(server, device);
  await listTopics(["commands/{deviceId}", "settings/{deviceId}"]);
  const fullchain = answer.json.clientCert + answer.json.clientCertChain;
  const renewed = await resume({ ...device, key, fullchain });
  assert.equal(renewed.isPresent, true);
  await sender.publishAsync(topicOf(device), "nor this", { qos: 1 });
  await sender.publishAsync(topicOf(device, "settings"), "this", { qos: 1 });
  await arrived(renewed, ["this"]);
  await empty(device);
  await Promise.all([renewed.client.endAsync(), sender.endAsync()]);
});

test("fifty simultaneous connections of one client leave one session, which has the messages that were sent", async () => {
  const device = await enrollDevice(server, tenant);
  await leave(device, [topicOf(device)]);
  const sender = await gatewayFor([device]);
  await sender.publishAsync(topicOf(device), "kept", { qos: 1 });
  const clients = await Promise.all(Array.from({ length: 50 }, () => rawClient({ port: server.mqttPort }, device)));
  for (const client of clients) client.send(connectPacket({ clientId: device.deviceId, flags: 0 }));
  const open = () => clients.filter(({ socket }) => !socket.destroyed && !socket.readableEnded);
  assert.ok(await eventually(async () => open().length === 1 && open()[0]!.received().includes("kept")));
  open()[0]!.socket.destroy();
  await parted(device);
  const { client, received } = await resume(device);
  await eventually(async () => received.length > 0);
  assert.deepEqual(received, ["kept"]);
  await Promise.all([client.endAsync(), sender.endAsync()]);
});

describe("with two processes", () => {
  if (!onPostgres) return;
  let second: TestServer;
  before(async () => {
    second = await startServer({ share: server });
  });
  after(() => second.stop());

  test("a session continues at the other process, even if the first one still has the connection", async () => {
    const device = await enrollDevice(server, tenant);
    await leave(device, [topicOf(device)]);
    const here = await gatewayFor([device]);
    await here.publishAsync(topicOf(device), "stored", { qos: 1 });
    const client = await rawClient({ port: second.mqttPort }, device);
    client.send(connectPacket({ clientId: device.deviceId, flags: 0 }));
    assert.ok(await eventually(async () => client.received().includes("stored")));
    const taken = await resume(device);
    assert.equal(taken.isPresent, true);
    await arrived(taken, ["stored"]);
    await empty(device);
    await taken.client.endAsync();
    await here.endAsync();
  });

  test("one process queues a message for a client that has left the other", async () => {
    const device = await enrollDevice(server, tenant);
    await leave(device, [topicOf(device)], second);
    const sender = await gatewayFor([device]);
    let n = 0;
    const queued = await eventually(async () => {
      await sender.publishAsync(topicOf(device), `${n++}`, { qos: 1 });
      return (await messagesOf(device)).length > 0;
    });
    assert.ok(queued);
    const resumed = await resume(device, second);
    await arrived(resumed, [`${n - 1}`]);
    await Promise.all([resumed.client.endAsync(), sender.endAsync()]);
  });
});

// This is the last test: certificates issued after it are not yet valid for TLS, which uses the machine's clock.
test("no session is stored for longer than a week, and expired sessions are deleted", async () => {
  const device = await enrollDevice(server, tenant);
  const { client } = await resume(device, server, expiring(0xffffffff));
  await client.subscribeAsync(topicOf(device), { qos: 1 });
  await client.endAsync();
  await parted(device);
  server.clock.advance(7 * DAY);
  await server.app.connections.prune();
  assert.equal(await storedOf(device), undefined);
  assert.equal(await gone(device, expiring(60)), true);
});
