import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { createEngine } from "../../src/broker/engine/engine.ts";
import { eventually } from "../harness/eventually.ts";
import { connectGateway, startBroker, type TestBroker, withEngine } from "./environment.ts";
import {
  connectPacket,
  field,
  PINGREQ,
  packet,
  publishPacket,
  rawClient,
  rawSession,
  subscribePacket,
} from "./raw-client.ts";

let broker: TestBroker;

before(async () => {
  broker = await startBroker(createEngine);
});
after(() => broker.stop());

const ack = (first: number, id: number) => packet(first, [id >> 8, id & 255]);
const CONNACK = 4;
const SUBACK = 5;

/** A raw session of a new device that has subscribed to its filter, and a gateway that publishes to that filter. */
async function subscriber(own: TestBroker, qos: number) {
  const device = await own.enroll();
  const sender = await connectGateway(own, { publish: [device.filter] });
  const client = await rawSession(own, device);
  client.send(packet(0x82, [0, 9], field(device.filter), [qos]));
  await client.atLeast(CONNACK + SUBACK);
  const received = async (bytes: number) => (await client.atLeast(CONNACK + SUBACK + bytes)).subarray(CONNACK + SUBACK);
  return { client, sender, received, topic: device.filter };
}

test("a client is disconnected after one and a half times its keep alive, unless it sends something", async (t) => {
  const [silent, lively] = [await broker.enroll(), await broker.enroll()];
  const [quiet, pinging] = [await rawClient(broker, silent), await rawClient(broker, lively)];
  pinging.send(connectPacket({ clientId: lively.deviceId, keepAlive: 1 }));
  await pinging.atLeast(CONNACK);
  const timer = setInterval(() => pinging.send(PINGREQ), 200);
  t.after(() => clearInterval(timer));
  const began = performance.now();
  quiet.send(connectPacket({ clientId: silent.deviceId, keepAlive: 1 }));
  await quiet.ended;
  assert.ok(performance.now() - began >= 1_500);
  assert.equal(pinging.socket.destroyed, false);
  pinging.socket.destroy();
  const reason = await eventually(async () => {
    const { connectivity } = await broker.devices.getDevice(broker.caller, silent.deviceId);
    return connectivity.status === "offline" && connectivity.reason;
  });
  assert.equal(reason, "keepalive_timeout");
});

test("a message is sent with the lower QoS of its publisher and its subscription", async () => {
  for (const [qos, published, first] of [
    [0, 2, 0x30],
    [1, 2, 0x32],
    [2, 1, 0x32],
    [2, 0, 0x30],
  ] as const) {
    const { client, sender, received, topic } = await subscriber(broker, qos);
    await sender.publishAsync(topic, "x", { qos: published });
    assert.deepEqual(await received(1), publishPacket(topic, "x", (first >> 1) & 3, 1));
    await sender.endAsync();
    client.socket.destroy();
  }
});

test("an acknowledgement that the QoS of an open message does not have ends the session", async () => {
  for (const [qos, steps] of [
    [1, [0x50]],
    [1, [0x70]],
    [2, [0x40]],
    [2, [0x70]],
    [2, [0x50, 0x40]],
  ] as const) {
    const { client, sender, received, topic } = await subscriber(broker, qos);
    await sender.publishAsync(topic, "x", { qos });
    await received(publishPacket(topic, "x", qos, 1).length);
    for (const type of steps) client.send(ack(type, 1));
    await client.ended;
    await sender.endAsync();
  }
});

test("QoS 2 is delivered in four packets, and each acknowledgement is answered, expected or not", async () => {
  const { client, sender, received, topic } = await subscriber(broker, 2);
  await sender.publishAsync(topic, "x", { qos: 2 });
  const message = publishPacket(topic, "x", 2, 1);
  assert.deepEqual(await received(message.length), message);
  client.send(ack(0x50, 1), ack(0x50, 777), ack(0x70, 1), ack(0x62, 778), PINGREQ);
  assert.deepEqual(
    (await received(message.length + 14)).subarray(message.length),
    Buffer.concat([ack(0x62, 1), ack(0x62, 777), ack(0x70, 778), Buffer.of(0xd0, 0)]),
  );
  await sender.endAsync();
  client.socket.destroy();
});

test("a client that acknowledges late receives further messages in order as it acknowledges", async (t) => {
  const own = await withEngine(t, createEngine, broker, { limits: { mqttOutgoingInFlight: 2 } });
  const { client, sender, received, topic } = await subscriber(own, 1);
  for (const n of [1, 2, 3, 4, 5]) await sender.publishAsync(topic, `${n}`, { qos: 1 });
  const message = (n: number) => publishPacket(topic, `${n}`, 1, n);
  const size = message(1).length;
  client.send(PINGREQ);
  assert.deepEqual(await received(2 * size + 2), Buffer.concat([message(1), message(2), Buffer.of(0xd0, 0)]));
  client.send(ack(0x40, 2), ack(0x40, 99));
  assert.deepEqual((await received(3 * size + 2)).subarray(2 * size + 2), message(3));
  client.send(ack(0x40, 1), ack(0x40, 3));
  assert.deepEqual((await received(5 * size + 2)).subarray(3 * size + 2), Buffer.concat([message(4), message(5)]));
  await sender.endAsync();
  client.socket.destroy();
});

test("a client that never acknowledges is disconnected when too much is queued for it", async (t) => {
  const limits = { mqttOutgoingInFlight: 1, mqttBacklogBytes: 20_000, mqttMessagesPerSecond: Infinity };
  const own = await withEngine(t, createEngine, broker, { limits });
  const { client, sender, topic } = await subscriber(own, 1);
  let ended = false;
  void client.ended.then(() => {
    ended = true;
  });
  for (let n = 0; n < 200 && !ended; n++) await sender.publishAsync(topic, "x".repeat(1_000), { qos: 1 });
  await client.ended;
  await sender.endAsync();
});

test("a client with overlapping filters receives a message once, with the highest QoS, until it unsubscribes", async () => {
  const topic = `t/${broker.caller.tenantSlug}/overlap/one`;
  const [all, part] = [`t/${broker.caller.tenantSlug}/overlap/#`, `t/${broker.caller.tenantSlug}/overlap/+`];
  const gateway = await connectGateway(broker, { publish: [topic], subscribe: [all, part, topic] });
  const got: string[] = [];
  let ended = () => {};
  gateway.on("message", (_topic, payload, { qos }) => {
    got.push(`${payload} ${qos}`);
    if (`${payload}` === "end") ended();
  });
  const untilEnd = async () => {
    const end = new Promise<void>((resolve) => {
      ended = resolve;
    });
    await gateway.publishAsync(topic, "end", { qos: 1 });
    await end;
    return got.splice(0);
  };
  await gateway.subscribeAsync({ [all]: { qos: 0 }, [part]: { qos: 1 }, [topic]: { qos: 0 } });
  await gateway.publishAsync(topic, "a", { qos: 1 });
  assert.deepEqual(await untilEnd(), ["a 1", "end 1"]);
  await gateway.unsubscribeAsync(part);
  assert.deepEqual(await untilEnd(), ["end 0"]);
  await gateway.subscribeAsync({ [all]: { qos: 1 } });
  assert.deepEqual(await untilEnd(), ["end 1"], "a subscription to the same filter replaces it");
  await gateway.endAsync();
});

test("an UNSUBSCRIBE and a SUBSCRIBE are answered filter by filter, in order", async () => {
  const device = await broker.enroll();
  const client = await rawSession(broker, device);
  client.send(subscribePacket(7, "#", device.filter, "x/y"), packet(0xa2, [1, 2], field("never/subscribed")));
  const answer = (await client.atLeast(CONNACK + 7 + 4)).subarray(CONNACK);
  assert.deepEqual([...answer], [0x90, 5, 0, 7, 0x80, 1, 0x80, 0xb0, 2, 1, 2]);
  client.socket.destroy();
});

test("a filter that MQTT forbids ends the connection", async () => {
  const device = await broker.enroll();
  for (const filter of ["a/#/b", "a#", "a+/b", ""]) {
    const client = await rawSession(broker, device);
    client.send(subscribePacket(7, filter));
    await client.ended;
    assert.equal(client.received().length, CONNACK, filter);
  }
});

test("messages of one publisher arrive at a subscriber in the order of sending", async () => {
  const device = await broker.enroll();
  const gateway = await connectGateway(broker, { subscribe: [device.topic] });
  await gateway.subscribeAsync(device.topic, { qos: 1 });
  const got: number[] = [];
  const all = new Promise<void>((resolve) =>
    gateway.on("message", (_topic, payload) => void (got.push(JSON.parse(`${payload}`).n) === 100 && resolve())),
  );
  const client = await rawSession(broker, device);
  client.send(...Array.from({ length: 100 }, (_, n) => publishPacket(device.topic, `{"n":${n}}`, 1 + (n % 2), n + 1)));
  for (let n = 1; n < 100; n += 2) client.send(ack(0x62, n + 1));
  await all;
  assert.deepEqual(
    got.filter((n) => n % 2 === 0),
    Array.from({ length: 50 }, (_, n) => 2 * n),
  );
  await gateway.endAsync();
  client.socket.destroy();
});

test("messages that arrive together are stored together, even if the first uses up the budget; the next wait until one is stored", async (t) => {
  const stored: (() => void)[] = [];
  const own = await withEngine(t, createEngine, broker, {
    limits: { mqttUnsettledBytesPerSession: 1 },
    around: (policy) => ({
      ...policy,
      storeMessage: () => new Promise<undefined>((resolve) => void stored.push(() => resolve(undefined))),
    }),
  });
  const device = await own.enroll();
  const client = await rawSession(own, device);
  const publishes = (from: number, to: number) =>
    Array.from({ length: to - from + 1 }, (_, n) => publishPacket(device.topic, "{}", 1, from + n));
  client.send(...publishes(1, 5));
  assert.ok(await eventually(async () => stored.length === 5));
  client.send(...publishes(6, 8));
  for (const each of stored.slice(0, 4)) each();
  await client.atLeast(CONNACK + 4 * 4);
  assert.equal(stored.length, 5, "the fifth still uses up the budget");
  stored[4]!();
  assert.ok(await eventually(async () => stored.length === 8));
  for (const each of stored.slice(5)) each();
  const acks = (await client.atLeast(CONNACK + 8 * 4)).subarray(CONNACK);
  assert.deepEqual(acks, Buffer.concat([1, 2, 3, 4, 5, 6, 7, 8].map((id) => ack(0x40, id))));
  client.socket.destroy();
});
