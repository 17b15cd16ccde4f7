import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type mqtt from "mqtt";
import { MINUTE, SECOND } from "../../src/lib/clock.ts";
import { onPostgres } from "../harness/database/database.ts";
import {
  closed,
  connectMqtt,
  enrollDevice,
  newTenant,
  renew,
  type TestDevice,
  type TestTenant,
} from "../harness/devices.ts";
import { eventually } from "../harness/eventually.ts";
import { startServer, type TestServer } from "../harness/server.ts";

/** Retained messages are stored, and delivered by every process (MQTT 3.1.1, 3.3.1.3). */
let server: TestServer;
let tenant: TestTenant;
let readers = 0;

const CAP = 12;
const ENV = { MUSTER_LIMIT_RETAINED_MESSAGES: `${CAP}` };

before(async () => {
  server = await startServer({ env: ENV });
  tenant = await newTenant(server);
});
after(async () => {
  await server.stop();
});

const FIVE = { protocolVersion: 5 } as const;
const RETAINED = { qos: 1, retain: true } as const;

/** A connected MQTT client of the tenant. */
async function clientOf(
  topics: { publish?: string[]; subscribe?: string[] },
  at: TestServer = server,
  options: mqtt.IClientOptions = {},
  { slug, caller }: TestTenant = tenant,
): Promise<mqtt.MqttClient> {
  const name = `reader-${slug}-${readers++}`;
  const { password } = await server.app.connections.createMqttClient(caller, {
    clientId: name,
    username: name,
    ...topics,
  });
  const identity = { deviceId: name, fullchain: "", key: "", ca: server.ca };
  return await connectMqtt(at, identity, { username: name, password, ...options });
}

interface Received {
  payload: string;
  retain: boolean;
  packet: mqtt.IPublishPacket;
}

/**
 * Returns what a new subscriber to these topics receives immediately: everything before its own message on another
 * topic.
 */
async function retainedOn(
  topics: string[],
  at: TestServer = server,
  options: mqtt.IClientOptions = {},
): Promise<Received[]> {
  const last = `t/${tenant.slug}/last`;
  const reader = await clientOf({ publish: [last], subscribe: [...topics, last] }, at, options);
  const received: Received[] = [];
  const ended = new Promise<void>((resolve) =>
    reader.on("message", (topic, payload, packet) => {
      if (topic === last) resolve();
      else received.push({ payload: `${payload}`, retain: packet.retain, packet });
    }),
  );
  await reader.subscribeAsync(last, { qos: 1 });
  await reader.subscribeAsync(topics, { qos: 1 });
  const written = await expected(topics);
  await eventually(async () => received.length >= written);
  await reader.publishAsync(last, "", { qos: 1 });
  await ended;
  await reader.endAsync();
  return received;
}

/** Counts the stored messages of these topics that have not expired. */
async function expected(topics: string[]): Promise<number> {
  const rows = await server.app.database.db
    .selectFrom("retained_messages")
    .select(["topic", "expires_at"])
    .where("topic", "in", topics)
    .execute();
  return rows.filter(({ expires_at: at }) => at === null || at > server.clock.now()).length;
}

const payloads = (received: Received[]) => received.map(({ payload }) => payload);

async function retain(
  device: TestDevice,
  payload: string,
  options: object = {},
  at: TestServer = server,
): Promise<void> {
  const client = await connectMqtt(at, device, FIVE);
  await client.publishAsync(device.topic, payload, { ...RETAINED, ...options });
  await client.endAsync();
}

test("a filter that one SUBSCRIBE repeats fifty times does not cost fifty deliveries of retained messages", async () => {
  const device = await enrollDevice(server, tenant);
  await retain(device, '{"a":1}');
  const fifty = Array.from({ length: 50 }, () => device.topic);
  const received = payloads(await retainedOn(fifty));
  // One in progress, one that waits for it, and perhaps one for the database's notification of the change.
  assert.ok(received.length <= 3, `${received.length} deliveries`);
  await retain(device, "");
});

test("a message is stored before it is acknowledged, with its properties and its remaining expiry", async () => {
  const device = await enrollDevice(server, tenant);
  await retain(device, '{"a":1}', {
    properties: {
      messageExpiryInterval: 100,
      contentType: "application/json",
      responseTopic: "a/b",
      correlationData: Buffer.from("x"),
      userProperties: { site: "north" },
    },
  });
  assert.equal(await expected([device.topic]), 1);
  server.clock.advance(40 * SECOND);
  const [message] = await retainedOn([device.topic], server, FIVE);
  assert.deepEqual([message!.payload, message!.retain, message!.packet.qos], ['{"a":1}', true, 1]);
  const { userProperties, ...properties } = message!.packet.properties!;
  assert.deepEqual({ ...userProperties }, { site: "north" });
  assert.deepEqual(properties, {
    messageExpiryInterval: 60,
    contentType: "application/json",
    responseTopic: "a/b",
    correlationData: Buffer.from("x"),
  });
  server.clock.advance(MINUTE);
  assert.deepEqual(await retainedOn([device.topic]), [], "it has expired");
  await server.app.connections.prune();
  const { db } = server.app.database;
  assert.deepEqual(
    await db.selectFrom("retained_messages").selectAll().where("topic", "=", device.topic).execute(),
    [],
  );
});

test("an empty message removes the one of its topic, and a QoS 0 message is retained, too", async () => {
  const device = await enrollDevice(server, tenant);
  await retain(device, "one");
  assert.deepEqual(payloads(await retainedOn([device.topic])), ["one"]);
  await retain(device, "");
  assert.equal(await expected([device.topic]), 0);
  assert.deepEqual(await retainedOn([device.topic]), []);
  await retain(device, "two", { qos: 0 });
  await eventually(async () => (await expected([device.topic])) === 1);
  assert.deepEqual(payloads(await retainedOn([device.topic])), ["two"]);
});

test("expired messages make room for new ones immediately, however many arrive at the same time", async () => {
  const own = await newTenant(server);
  const topics = Array.from({ length: 2 * CAP + 1 }, (_, n) => `t/${own.slug}/${n}`);
  const [before, after, beyond] = [topics.slice(0, CAP), topics.slice(CAP, 2 * CAP), topics.at(-1)!];
  const client = await clientOf({ publish: topics }, server, FIVE, own);
  const short = { ...RETAINED, properties: { messageExpiryInterval: 10 } };
  await Promise.all(before.map((topic) => client.publishAsync(topic, "short", short)));
  await assert.rejects(client.publishAsync(beyond, "x", RETAINED), { code: 0x97 });
  server.clock.advance(10 * SECOND);
  await Promise.all(after.map((topic) => client.publishAsync(topic, "long", RETAINED)));
  await assert.rejects(client.publishAsync(beyond, "x", RETAINED), { code: 0x97 });
  assert.equal(await expected(topics), CAP);
  await client.endAsync();
});

test("a revoked certificate removes its messages, unless another certificate of its device has the topic", async () => {
  const device = await enrollDevice(server, tenant);
  await retain(device, "kept");
  const renewed = await renew(server, device);
  assert.equal(renewed.answer.status, 200);
  assert.deepEqual(payloads(await retainedOn([device.topic])), ["kept"], "a renewal leaves it");
  const { items } = await server.app.certificates.listCertificates(tenant.caller, {
    deviceId: device.deviceId,
    skip: 0,
    limit: 10,
  });
  const active = items.find(({ status }) => status === "active")!;
  await server.app.enrollment.revokeCertificate(tenant.caller, active.id);
  assert.equal(await expected([device.topic]), 0);
  assert.deepEqual(await retainedOn([device.topic]), []);
});

test("a message ends with its device's right to the topic, even while that connection is still open", async () => {
  const { devices } = server.app;
  const type = await devices.createDeviceType(tenant.caller, {
    name: "Valve",
    publishTopics: ["telemetry/{deviceId}", "state/{deviceId}"],
  });
  const device = await enrollDevice(server, { ...tenant, deviceTypeId: type.id });
  const state = `t/${tenant.slug}/state/${device.deviceId}`;
  const client = await connectMqtt(server, device);
  await client.publishAsync(state, "open", RETAINED);
  assert.deepEqual(payloads(await retainedOn([state])), ["open"]);
  await devices.updateDeviceType(tenant.caller, type.id, { publishTopics: ["telemetry/{deviceId}"] });
  assert.equal((await renew(server, device)).answer.status, 200);
  assert.equal(await expected([state]), 0);
  assert.deepEqual(await retainedOn([state]), []);
  await client.publishAsync(state, "shut", RETAINED);
  assert.equal(await expected([state]), 0, "the certificate of this connection has a successor without the topic");
  await client.endAsync();
});

test("messages are not retained beyond their device, however close its deletion is", async () => {
  for (let round = 0; round < 5; round++) {
    const device = await enrollDevice(server, tenant);
    const client = await connectMqtt(server, device);
    await client.publishAsync(device.topic, "first", RETAINED);
    const more = Array.from({ length: 20 }, (_, n) =>
      client.publishAsync(device.topic, `${n}`, RETAINED).catch(() => 0),
    );
    await server.app.enrollment.deleteDevice(tenant.caller, device.deviceId);
    await closed(client);
    client.end(true);
    assert.equal(await expected([device.topic]), 0);
    assert.deepEqual(await retainedOn([device.topic]), []);
    void more;
  }
});

test("a client that subscribes while messages are retained receives them in order and the last one in the end", async () => {
  const device = await enrollDevice(server, tenant);
  const publisher = await connectMqtt(server, device);
  await publisher.publishAsync(device.topic, "0", RETAINED);
  await eachSubscriber(
    server,
    async (n) => void (await publisher.publishAsync(device.topic, `${n}`, RETAINED)),
    device,
  );
  await publisher.endAsync();
});

/** Subscribes clients repeatedly while `publish` counts up. */
async function eachSubscriber(
  at: TestServer,
  publish: (n: number) => Promise<void>,
  { topic }: TestDevice,
): Promise<void> {
  const reader = await clientOf({ subscribe: [topic] }, at);
  const seen: number[] = [];
  reader.on("message", (_topic, payload) => void seen.push(Number(`${payload}`)));
  for (let n = 1; n <= 40; n++) {
    seen.length = 0;
    await Promise.all([reader.subscribeAsync(topic, { qos: 1 }), publish(n)]);
    assert.ok(await eventually(async () => seen.includes(n)), `${n} arrives`);
    assert.deepEqual(
      seen,
      [...seen].sort((one, other) => one - other),
      "in their order",
    );
    await reader.unsubscribeAsync(topic);
  }
  await reader.endAsync();
}

/** Two servers share a PostgreSQL; the embedded database admits one process. */
describe("two processes", () => {
  if (!onPostgres) return;
  let other: TestServer;
  before(async () => {
    other = await startServer({ share: server, env: ENV });
  });
  after(() => other.stop());

  test("one process delivers what the other retains, replaces or removes", async () => {
    const device = await enrollDevice(server, tenant);
    assert.deepEqual(await retainedOn([device.topic], other), []);
    for (const payload of ["one", "two"]) {
      await retain(device, payload);
      assert.deepEqual(payloads(await retainedOn([device.topic], other)), [payload]);
    }
    await retain(device, "");
    assert.ok(await eventually(async () => (await retainedOn([device.topic], other)).length === 0));
  });

  test("both deliver the same message in the end when both retain one on the same topic", async () => {
    const device = await enrollDevice(server, tenant);
    const publish = [device.topic, `t/${tenant.slug}/shared`];
    const [here, there] = [await clientOf({ publish }), await clientOf({ publish }, other)];
    const topic = publish[1]!;
    for (const at of [server, other]) await retainedOn([topic], at);
    for (let round = 0; round < 10; round++) {
      await Promise.all(
        [here, there].flatMap((client, from) =>
          Array.from({ length: 5 }, (_, n) => client.publishAsync(topic, `${round} ${from} ${n}`, RETAINED)),
        ),
      );
      const { db } = server.app.database;
      const { payload } = await db
        .selectFrom("retained_messages")
        .select("payload")
        .where("topic", "=", topic)
        .executeTakeFirstOrThrow();
      for (const at of [server, other]) {
        assert.ok(await eventually(async () => payloads(await retainedOn([topic], at)).at(-1) === `${payload}`));
      }
    }
    await Promise.all([here.endAsync(), there.endAsync()]);
  });

  test("a client of the other process that subscribes just after the acknowledgement receives the message", async () => {
    const device = await enrollDevice(server, tenant);
    const publisher = await connectMqtt(server, device);
    const reader = await clientOf({ subscribe: [device.topic] }, other);
    const seen: string[] = [];
    reader.on("message", (_topic, payload) => void seen.push(`${payload}`));
    for (let n = 0; n < 30; n++) {
      await publisher.publishAsync(device.topic, `${n}`, RETAINED);
      await reader.subscribeAsync(device.topic, { qos: 1 });
      assert.ok(await eventually(async () => seen.includes(`${n}`)), `message ${n} arrives`);
      await reader.unsubscribeAsync(device.topic);
    }
    await Promise.all([publisher.endAsync(), reader.endAsync()]);
  });

  test("together they retain a tenant's maximum of messages; the others are acknowledged with 0x97", async () => {
    const own = await newTenant(server);
    const topics = Array.from({ length: CAP + 8 }, (_, n) => `t/${own.slug}/${n}`);
    const clients: mqtt.MqttClient[] = [];
    for (const at of [server, other]) clients.push(await clientOf({ publish: topics }, at, FIVE, own));
    const answers = await Promise.allSettled(
      topics.map((topic, n) => clients[n % 2]!.publishAsync(topic, "x", RETAINED)),
    );
    const refused = answers.filter(({ status }) => status === "rejected") as PromiseRejectedResult[];
    assert.deepEqual(
      refused.map(({ reason }) => reason.code),
      Array.from({ length: 8 }, () => 0x97),
    );
    assert.equal(await expected(topics), CAP);
    for (const client of clients) await client.endAsync();
  });
});
