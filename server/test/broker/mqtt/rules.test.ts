import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type mqtt from "mqtt";
import { createEngine } from "../../../src/broker/engine/engine.ts";
import { connect, connectGateway, type Device, startBroker, type TestBroker } from "../environment.ts";
import { connectPacket, DISCONNECT, field, PINGREQ, publishPacket, rawClient, rawSession } from "../raw-client.ts";

/**
 * Statements of MQTT 3.1.1 about sessions, wills and retained messages that the policy suite does not cover
 * (docs/mqtt-conformance.md).
 */
let broker: TestBroker;

before(async () => {
  broker = await startBroker(createEngine);
});
after(() => broker.stop());

const CONNACK = 4;

/** Returns what a new subscriber receives on `topic` before the marker that it publishes itself. */
async function receivedOf(topic: string): Promise<string[]> {
  const marker = `t/${broker.caller.tenantSlug}/marker`;
  const gateway = await connectGateway(broker, { publish: [marker], subscribe: [topic, marker] });
  const received: string[] = [];
  const ended = new Promise<void>((resolve) =>
    gateway.on("message", (name, payload, { qos, retain }: mqtt.IPublishPacket) => {
      if (name === marker) resolve();
      else received.push(`${payload} ${qos}${retain ? " retained" : ""}`);
    }),
  );
  await gateway.subscribeAsync([topic, marker], { qos: 1 });
  await gateway.publishAsync(marker, "", { qos: 1 });
  await ended;
  await gateway.endAsync();
  return received;
}

/** Connects with a will and breaks the connection. Resolves when the will has arrived at a subscriber. */
async function breakWithWill(device: Device, retain: boolean): Promise<void> {
  const watcher = await connectGateway(broker, { subscribe: [device.topic] });
  const arrived = new Promise<boolean>((resolve) =>
    watcher.once("message", (_topic, _payload, packet) => resolve(packet.retain)),
  );
  await watcher.subscribeAsync(device.topic, { qos: 1 });
  const client = await connect(broker, device, {
    will: { topic: device.topic, payload: Buffer.from('{"gone":1}'), qos: 1, retain },
  });
  client.stream.destroy();
  assert.equal(await arrived, false, "an established subscription is not notified that a message is retained");
  await watcher.endAsync();
}

test("a filter of a client grants narrower ones, whose messages arrive, and no wider one", async () => {
  const root = `t/${broker.caller.tenantSlug}`;
  const topic = `${root}/narrow/pump-1`;
  const gateway = await connectGateway(broker, { publish: [topic], subscribe: [`${root}/narrow/#`] });
  const arrived = new Promise<string>((resolve) => gateway.once("message", resolve));
  await gateway.subscribeAsync(`${root}/narrow/+`, { qos: 1 });
  await gateway.publishAsync(topic, "one", { qos: 1 });
  assert.equal(await arrived, topic);
  await assert.rejects(gateway.subscribeAsync(`${root}/#`, { qos: 1 }));
  await gateway.endAsync();
});

test("a will is retained if and only if the CONNECT says so", async () => {
  const [kept, passing] = [await broker.enroll(), await broker.enroll()];
  await breakWithWill(kept, true);
  await breakWithWill(passing, false);
  assert.deepEqual(await receivedOf(kept.topic), ['{"gone":1} 1 retained']);
  assert.deepEqual(await receivedOf(passing.topic), []);
});

test("the last retained message of a topic is kept at any QoS, and a message without the retain flag does not replace it", async () => {
  const device = await broker.enroll();
  const client = await connect(broker, device);
  await client.publishAsync(device.topic, '{"n":1}', { qos: 1, retain: true });
  await client.publishAsync(device.topic, '{"n":2}', { qos: 1, retain: false });
  assert.deepEqual(await receivedOf(device.topic), ['{"n":1} 1 retained']);
  await client.publishAsync(device.topic, '{"n":3}', { qos: 0, retain: true });
  await client.publishAsync(device.topic, '{"n":4}', { qos: 1 });
  assert.deepEqual(await receivedOf(device.topic), ['{"n":3} 0 retained']);
  await client.publishAsync(device.topic, "", { qos: 1, retain: true });
  assert.deepEqual(await receivedOf(device.topic), []);
  await client.endAsync();
});

test("packets after a refused CONNECT are ignored, and the connection closes after its CONNACK", async () => {
  const device = await broker.enroll();
  const client = await rawClient(broker, device);
  client.send(connectPacket({ clientId: "another" }), publishPacket(device.topic, '{"a":1}', 1, 1), PINGREQ);
  await client.ended;
  assert.deepEqual([...client.received()], [0x20, 2, 0, 2]);
  await broker.telemetry.drain();
  assert.deepEqual(await broker.telemetry.listLatest(broker.caller, device.deviceId), []);
});

test("packets after a CONNECT are handled once it is accepted, and the CONNACK is the first answer", async () => {
  const device = await broker.enroll();
  const client = await rawClient(broker, device);
  client.send(connectPacket({ clientId: device.deviceId }), PINGREQ, publishPacket(device.topic, '{"a":1}', 1, 7));
  const answers = await client.atLeast(CONNACK + 2 + 4);
  assert.deepEqual([...answers], [0x20, 2, 0, 0, 0xd0, 0, 0x40, 2, 0, 7]);
  client.socket.destroy();
});

test("MQTT 3.1 is served like 3.1.1", async () => {
  const { password } = await broker.connections.createMqttClient(broker.caller, { clientId: "old-1", username: "old" });
  const client = await rawClient(broker);
  const rest = Buffer.concat([field("old"), field(password)]);
  client.send(connectPacket({ clientId: "old-1", name: "MQIsdp", level: 3, flags: 0xc2, rest }), PINGREQ, DISCONNECT);
  await client.ended;
  assert.deepEqual([...client.received()], [0x20, 2, 0, 0, 0xd0, 0]);
  const unused = await rawClient(broker);
  const connect = connectPacket({ clientId: "old-1", name: "MQIsdp", level: 3, flags: 0xc3, rest });
  connect[0]! |= 4;
  unused.send(connect, DISCONNECT);
  await unused.ended;
  assert.deepEqual(
    [...unused.received()],
    [0x20, 2, 0, 0],
    "MQTT 3.1 does not use the QoS and the last flag of a CONNECT",
  );
});

test("a client without a keep alive stays connected while it is silent", async () => {
  const [device, other] = [await broker.enroll(), await broker.enroll()];
  const client = await rawClient(broker, device);
  client.send(connectPacket({ clientId: device.deviceId, keepAlive: 0 }));
  await client.atLeast(CONNACK);
  const timedOut = await rawClient(broker, other);
  timedOut.send(connectPacket({ clientId: other.deviceId, keepAlive: 1 }));
  await timedOut.ended;
  client.send(PINGREQ);
  const received = await client.atLeast(CONNACK + 2);
  assert.deepEqual([...received], [0x20, 2, 0, 0, 0xd0, 0]);
  client.socket.destroy();
});

test("topics are compared byte for byte, and an empty payload is a message", async () => {
  const slug = broker.caller.tenantSlug;
  const topics = [`t/${slug}/a`, `t/${slug}/A`, `t/${slug}/a/b`];
  const gateway = await connectGateway(broker, { publish: topics, subscribe: topics });
  const received: string[] = [];
  const all = new Promise<void>((resolve) =>
    gateway.on("message", (topic, payload) => void (received.push(`${topic} ${payload}`) === 2 && resolve())),
  );
  await gateway.subscribeAsync(topics[1]!, { qos: 0 });
  for (const topic of topics) await gateway.publishAsync(topic, topic, { qos: 1 });
  await gateway.publishAsync(topics[1]!, "", { qos: 1 });
  await all;
  assert.deepEqual(received, [`${topics[1]} ${topics[1]}`, `${topics[1]} `]);
  await gateway.endAsync();
});

test("a QoS 2 message is delivered once, however often its PUBLISH is repeated before its PUBREL", async () => {
  const device = await broker.enroll();
  const gateway = await connectGateway(broker, { subscribe: [device.topic] });
  await gateway.subscribeAsync(device.topic, { qos: 1 });
  const received: string[] = [];
  const all = new Promise<void>((resolve) =>
    gateway.on("message", (_topic, payload) => void (received.push(`${payload}`) === 2 && resolve())),
  );
  const client = await rawSession(broker, device);
  const first = publishPacket(device.topic, '{"n":1}', 2, 5);
  client.send(first, publishPacket(device.topic, '{"n":1}', 2, 5, 8), publishPacket(device.topic, '{"n":1}', 2, 5, 8));
  const pubrec = [0x50, 2, 0, 5];
  assert.deepEqual([...(await client.atLeast(CONNACK + 12)).subarray(CONNACK)], [...pubrec, ...pubrec, ...pubrec]);
  client.send([0x62, 2, 0, 5], publishPacket(device.topic, '{"n":2}', 2, 5));
  await all;
  assert.deepEqual(received, ['{"n":1}', '{"n":2}']);
  client.socket.destroy();
  await gateway.endAsync();
});
