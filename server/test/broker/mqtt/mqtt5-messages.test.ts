import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { createEngine } from "../../../src/broker/engine/engine.ts";
import { startBroker, type TestBroker } from "../environment.ts";
import { type Client5, client5, NONE, properties, publish5, session5, subscribe5 } from "../mqtt5.ts";
import { packet } from "../packets.ts";

let broker: TestBroker;

before(async () => {
  broker = await startBroker(createEngine);
});
after(() => broker.stop());

const TOPIC_ALIAS = 0x23;
const TOPIC_ALIAS_MAXIMUM = 0x22;
const SUBSCRIPTION_ID = 0x0b;

/**
 * Connects a raw MQTT client that may publish and subscribe to topics below `name`, with `properties` in its CONNECT.
 */
function clientOf(name: string, given: number[] = NONE): Promise<Client5> {
  return client5(broker, [`${name}/one`, `${name}/two`, `${name}/+`, `${name}/#`], { properties: given });
}

const topicOf = (path: string) => `t/${broker.caller.tenantSlug}/${path}`;

test("a message has the identifiers of exactly the matching subscriptions of its client that have one", async () => {
  const client = await clientOf("ids");
  const id = (value: number) =>
    properties([SUBSCRIPTION_ID, ...(value > 127 ? [(value & 127) | 128, value >> 7] : [value])]);
  client.send(
    subscribe5(1, topicOf("ids/#"), 0, id(1)),
    subscribe5(2, topicOf("ids/+"), 1, id(300)),
    subscribe5(3, topicOf("ids/two"), 0),
    publish5(topicOf("ids/one"), "a"),
  );
  const both = publish5(topicOf("ids/one"), "a", 0, 0, properties([SUBSCRIPTION_ID, 1, SUBSCRIPTION_ID, 0xac, 2]));
  assert.deepEqual(sortedIds(await client.after(3 * 6, both.length)), both);
  client.send(packet(0xa2, [0, 4], NONE, topicOf("ids/+")), subscribe5(5, topicOf("ids/#"), 0));
  client.send(publish5(topicOf("ids/two"), "b"));
  const none = publish5(topicOf("ids/two"), "b");
  const rest = await client.after(3 * 6 + both.length, 6 + 6 + none.length);
  assert.deepEqual(rest.subarray(12), none, "a subscription that is replaced loses its identifier");
  client.socket.destroy();
});

/** Returns the sorted identifiers of a message for two subscriptions, since their order has no meaning. */
function sortedIds(message: Buffer): Buffer {
  const at = message.indexOf(Buffer.of(SUBSCRIPTION_ID, 0xac, 2, SUBSCRIPTION_ID, 1));
  if (at >= 0) Buffer.of(SUBSCRIPTION_ID, 1, SUBSCRIPTION_ID, 0xac, 2).copy(message, at);
  return message;
}

test("a retained message has the identifier of the subscription that requests it", async () => {
  const client = await clientOf("kept");
  const kept = publish5(topicOf("kept/one"), "a", 1, 1);
  kept[0] = 0x33;
  client.send(kept);
  await client.after(0, 5);
  client.send(subscribe5(1, topicOf("kept/#"), 0, properties([SUBSCRIPTION_ID, 7])));
  const expected = publish5(topicOf("kept/one"), "a", 0, 0, properties([SUBSCRIPTION_ID, 7]));
  expected[0] = 0x31;
  assert.deepEqual(await client.after(5 + 6, expected.length), expected);
  client.socket.destroy();
});

test("a topic alias stands for the topic that it was last sent with, on its own connection", async () => {
  const alias = (value: number) => properties([TOPIC_ALIAS, 0, value]);
  const [client, other] = [await clientOf("alias"), await clientOf("alias")];
  client.send(
    subscribe5(1, topicOf("alias/#"), 0),
    publish5(topicOf("alias/one"), "1", 0, 0, alias(10)),
    publish5("", "2", 0, 0, alias(10)),
    publish5(topicOf("alias/two"), "3", 0, 0, alias(10)),
    publish5("", "4", 0, 0, alias(10)),
  );
  const expected = [
    ["one", "1"],
    ["one", "2"],
    ["two", "3"],
    ["two", "4"],
  ].map(([name, payload]) => publish5(topicOf(`alias/${name}`), payload!));
  assert.deepEqual(await client.after(6, 4 * expected[0]!.length), Buffer.concat(expected));
  other.send(publish5("", "5", 0, 0, alias(10)));
  assert.deepEqual(await other.rest(), [0xe0, 1, 0x82]);
  client.socket.destroy();
});

test("a message whose alias stands for a forbidden topic is refused", async () => {
  const device = await broker.enroll();
  const client = await session5(broker, device);
  client.send(
    publish5("t/other", "{}", 1, 1, properties([TOPIC_ALIAS, 0, 1])),
    publish5("", "{}", 1, 2, properties([TOPIC_ALIAS, 0, 1])),
  );
  const refused = [0x40, 3, 0, 1, 0x87, 0x40, 3, 0, 2, 0x87];
  assert.deepEqual([...(await client.answers(refused.length))], refused);
  client.socket.destroy();
});

test("a client receives as many topic aliases as it permits, each first with its topic", async () => {
  const client = await clientOf("out", properties([TOPIC_ALIAS_MAXIMUM, 0, 1]));
  const alias = properties([TOPIC_ALIAS, 0, 1]);
  const [one, two] = [topicOf("out/one"), topicOf("out/two")];
  client.send(subscribe5(1, topicOf("out/#"), 0), publish5(one, "1"), publish5(two, "2"), publish5(one, "3"));
  const expected = Buffer.concat([publish5(one, "1", 0, 0, alias), publish5(two, "2"), publish5("", "3", 0, 0, alias)]);
  assert.deepEqual(await client.after(6, expected.length), expected);
  client.socket.destroy();
});

test("a topic alias does not make a packet longer than its client permits", async () => {
  const topic = topicOf("fits/one");
  const max = publish5(topic, "1").length;
  const client = await clientOf("fits", properties([TOPIC_ALIAS_MAXIMUM, 0, 9, 0x27, 0, 0, 0, max]));
  client.send(subscribe5(1, topic, 0), publish5(topic, "1"), publish5(topic, "22"), publish5(topic, "3"));
  const expected = Buffer.concat([publish5(topic, "1"), publish5(topic, "3")]);
  assert.deepEqual(await client.after(6, expected.length), expected);
  client.socket.destroy();
});

test("a QoS 1 message that has no subscriber and is not stored is acknowledged with 0x10", async () => {
  const client = await clientOf("none");
  const [one, two] = [topicOf("none/one"), topicOf("none/two")];
  client.send(publish5(one, "1", 1, 1), publish5(one, "2", 2, 2));
  const refused = [0x40, 3, 0, 1, 0x10, 0x50, 2, 0, 2];
  assert.deepEqual([...(await client.answers(refused.length))], refused);
  client.send(subscribe5(3, one, 0), publish5(one, "3", 1, 4));
  const taken = [0x90, 4, 0, 3, 0, 0, ...publish5(one, "3"), 0x40, 2, 0, 4];
  assert.deepEqual([...(await client.after(refused.length, taken.length))], taken);
  client.send(subscribe5(5, two, 4), publish5(two, "4", 1, 6));
  const own = [0x90, 4, 0, 5, 0, 0, 0x40, 3, 0, 6, 0x10];
  assert.deepEqual([...(await client.after(refused.length + taken.length, own.length))], own);
  const device = await broker.enroll();
  const session = await session5(broker, device);
  session.send(publish5(device.topic, '{"a":1}', 1, 1));
  assert.deepEqual([...(await session.answers(4))], [0x40, 2, 0, 1], "telemetry is stored");
  session.socket.destroy();
  client.socket.destroy();
});

test("among overlapping subscriptions, one with no local adds neither QoS nor identifier to the client's own messages", async () => {
  const client = await clientOf("local");
  const [one, all] = [topicOf("local/one"), topicOf("local/#")];
  const noLocal = packet(0x82, [0, 1], properties([SUBSCRIPTION_ID, 1]), one, [4 | 2]);
  client.send(noLocal, subscribe5(2, all, 0, properties([SUBSCRIPTION_ID, 2])), publish5(one, "1", 1, 3));
  const own = publish5(one, "1", 0, 0, properties([SUBSCRIPTION_ID, 2]));
  assert.deepEqual(await client.after(12, own.length), own);
  client.socket.destroy();
});
