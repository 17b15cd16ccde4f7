import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type mqtt from "mqtt";
import { SECOND } from "../../../src/lib/clock.ts";
import { eventually } from "../../harness/eventually.ts";
import { FakeClock } from "../../harness/fake-clock.ts";
import { packet } from "../packets.ts";
import { connectTo, type TestClient } from "../permissive/mqtt-client.ts";
import { createPermissiveBroker } from "../permissive/permissive-broker.ts";
import { newTopics, publishEach } from "../permissive/suite-topics.ts";
import { TcpClient } from "../permissive/tcp-client.ts";
import { connackOf } from "../vectors/vector.ts";

/** Interoperability tests for MQTT 5 only. */
const clock = new FakeClock();
const broker = createPermissiveBroker(0, undefined, undefined, clock);
let port: number;

before(async () => {
  ({ port } = await broker.start());
});
after(() => broker.stop());

const payloads = (client: TestClient) => client.messages.map(({ payload }) => payload);
const open = (options: mqtt.IClientOptions = {}) => connectTo(port, options);
const [CONNACK, SUBACK] = [connackOf(5).length, 6];

/** A client without a library, which subscribes to `topic` at QoS 2. */
async function raw(topic: string, properties: number[] = []): Promise<TcpClient> {
  const client = new TcpClient(port);
  client.send(packet(0x10, "MQTT", [5, 2, 0, 60], [properties.length, ...properties], `${topic}-raw`));
  client.send(packet(0x82, [0, 99], [0], topic, [2]));
  await client.take(CONNACK + SUBACK);
  return client;
}

test("a session lasts as long as its client says, and no longer", async () => {
  const { root } = newTopics();
  const isPresent = async (expiry: number, clean: boolean, atEnd?: number) => {
    const { client, connack } = await open({ clientId: root, clean, properties: { sessionExpiryInterval: expiry } });
    await client.subscribeAsync(root);
    await client.endAsync(false, atEnd === undefined ? {} : { properties: { sessionExpiryInterval: atEnd } });
    return connack.sessionPresent;
  };
  assert.equal(await isPresent(0, true), false);
  assert.equal(await isPresent(0, false), false);
  assert.equal(await isPresent(5, true), false);
  clock.advance(2 * SECOND);
  assert.equal(await isPresent(5, false), true);
  clock.advance(6 * SECOND);
  assert.equal(await isPresent(5, false), false);
  assert.equal(await isPresent(1, true, 5), false);
  clock.advance(3 * SECOND);
  assert.equal(await isPresent(1, false, 0), true);
  assert.equal(await isPresent(1, false), false);
});

test("a shared subscription delivers each message to one client, and each client gets its own subscriptions", async () => {
  const { topics: to } = newTopics();
  const clients = [await open(), await open()];
  for (const { client } of clients) await client.subscribeAsync([`$share/name/${to[0]}`, to[1]!], { qos: 2 });
  await clients[1]!.client.publishAsync(to[0]!, "shared", { qos: 0 });
  await clients[1]!.client.publishAsync(to[1]!, "end", { qos: 0 });
  for (const client of clients) await client.arrived(1);
  const all = clients.flatMap(payloads).sort();
  assert.deepEqual(all, ["end", "end", "shared"]);
  for (const { client } of clients) await client.endAsync();
});

test("user properties, payload format and content type arrive with messages of every QoS", async () => {
  const { root } = newTopics();
  const own = await open();
  await own.client.subscribeAsync(root, { qos: 2 });
  const properties = { userProperties: { a: "2", c: "3" }, payloadFormatIndicator: true, contentType: "My name" };
  await publishEach(own, [root, root, root], { properties });
  for (const message of await own.arrived(3)) {
    const { userProperties, ...others } = message.properties!;
    assert.deepEqual({ ...userProperties }, properties.userProperties);
    assert.deepEqual([others.payloadFormatIndicator, others.contentType], [true, "My name"]);
  }
  await own.client.endAsync();
});

test("a message that expires while its client is offline is not sent; another carries its remaining expiry", async () => {
  const { root } = newTopics();
  const away = await open({ clientId: root, clean: false, properties: { sessionExpiryInterval: 99_999 } });
  await away.client.subscribeAsync(root, { qos: 2 });
  await away.client.endAsync(false, { properties: { sessionExpiryInterval: 999_999_999 } });
  const sender = await open();
  for (const messageExpiryInterval of [1, 6])
    for (const qos of [1, 2] as const)
      await sender.client.publishAsync(root, `${messageExpiryInterval}`, {
        qos,
        properties: { messageExpiryInterval },
      });
  clock.advance(3 * SECOND);
  const back = await open({ clientId: root, clean: false });
  await back.arrived(2);
  assert.deepEqual(
    back.messages.map(({ properties }) => properties?.messageExpiryInterval),
    [3, 3],
  );
  await Promise.all([back.client.endAsync(), sender.client.endAsync()]);
});

test("no local, retain as published and retain handling have their effect on a subscription", async () => {
  const { root, all, topics: to } = newTopics();
  const [own, other] = [await open(), await open()];
  await own.client.subscribeAsync(root, { qos: 2, nl: true });
  await other.client.subscribeAsync(root, { qos: 2, nl: true, rap: true });
  await own.client.publishAsync(root, "no local", { qos: 1 });
  await own.client.publishAsync(root, "retained", { qos: 1, retain: true });
  await other.arrived(2);
  assert.deepEqual(
    other.messages.map(({ retain }) => retain),
    [false, true],
  );
  assert.deepEqual(await own.arrived(0), []);
  await publishEach(own, to, { retain: true });
  for (const [rh, retained] of [
    [1, 3],
    [1, 0],
    [0, 3],
    [2, 0],
  ] as const) {
    own.messages.length = 0;
    await own.client.subscribeAsync(all, { qos: 2, rh });
    await own.arrived(retained);
    await other.client.publishAsync(to[0]!, "end", { qos: 1 });
    await own.arrived(retained + 1);
    assert.deepEqual([own.messages.length, payloads(own).at(-1)], [retained + 1, "end"], `retain handling ${rh}`);
  }
  for (const topic of [root, ...to]) await own.client.publishAsync(topic, "", { qos: 1, retain: true });
  await Promise.all([own.client.endAsync(), other.client.endAsync()]);
});

test("a message has the identifiers of all matching subscriptions", async () => {
  const { root } = newTopics();
  const [one, two] = [await open(), await open()];
  const subscribe = ({ client }: TestClient, filter: string, subscriptionIdentifier: number) =>
    client.subscribeAsync(filter, { qos: 2, properties: { subscriptionIdentifier } });
  await subscribe(one, root, 456_789);
  await subscribe(two, root, 2);
  await subscribe(two, `${root}/#`, 3);
  await two.client.publishAsync(root, "identified", { qos: 1 });
  const idsOf = async (client: TestClient) => [
    (await client.arrived(1)).map(({ properties }) => [properties?.subscriptionIdentifier].flat()),
  ];
  assert.deepEqual(await idsOf(one), [[[456_789]]]);
  assert.deepEqual(await idsOf(two), [[[2, 3]]]);
  await Promise.all([one.client.endAsync(), two.client.endAsync()]);
});

test("a request is answered on its response topic with its correlation data", async () => {
  const { root } = newTopics();
  const [asking, answering] = [await open(), await open()];
  for (const { client } of [asking, answering]) await client.subscribeAsync(root, { qos: 2, nl: true });
  const properties = { responseTopic: root, correlationData: Buffer.from("334") };
  await asking.client.publishAsync(root, "request", { qos: 1, properties });
  const [request] = await answering.arrived(1);
  assert.deepEqual({ ...request!.properties }, properties);
  const { responseTopic, correlationData } = request!.properties!;
  await answering.client.publishAsync(responseTopic!, "response", {
    qos: 1,
    properties: { correlationData: correlationData! },
  });
  const [response] = await asking.arrived(1);
  assert.deepEqual([response!.payload, response!.properties?.correlationData], ["response", Buffer.from("334")]);
  await Promise.all([asking.client.endAsync(), answering.client.endAsync()]);
});

test("a client's topic alias stands for its topic until the connection ends", async () => {
  const { root } = newTopics();
  const own = await raw(root);
  const named = packet(0x30, root, [3, 0x23, 0, 1], [1]);
  const aliased = packet(0x30, "", [3, 0x23, 0, 1], [2]);
  own.send(Buffer.concat([named, aliased]));
  const expected = Buffer.concat([packet(0x30, root, [0], [1]), packet(0x30, root, [0], [2])]);
  assert.deepEqual(await own.take(expected.length), expected);
  own.send(packet(0x30, root, [3, 0x23, 0, 0], [1]));
  assert.deepEqual(await own.take(4), Buffer.of(0xe0, 1, 0x94));
  const back = await raw(root);
  back.send(aliased);
  assert.deepEqual(await back.take(4), Buffer.of(0xe0, 1, 0x82));
});

test("a client that permits one alias receives it with the first message, and later in place of the topic", async () => {
  const { root } = newTopics();
  for (const most of [1, 0]) {
    const own = await raw(root, [0x22, 0, most]);
    for (const payload of [1, 2]) own.send(packet(0x30, root, [0], [payload]));
    const alias = most === 0 ? [0] : [3, 0x23, 0, 1];
    const second = packet(0x30, most === 0 ? root : "", alias, [2]);
    const expected = Buffer.concat([packet(0x30, root, alias, [1]), second]);
    assert.deepEqual(await own.take(expected.length), expected);
    own.close();
  }
});

test("a client receives no message longer than it permits", async () => {
  const { root } = newTopics();
  const own = await raw(root, [0x27, 0, 0, 0, 64]);
  const message = (length: number) => packet(0x30, root, [0], Array<number>(length).fill(0x2e));
  own.send(Buffer.concat([message(64), message(32)]));
  assert.deepEqual(await own.take(message(32).length), message(32));
  own.close();
});

test("a keep alive above 60 seconds becomes 60", async () => {
  const own = await open({ keepalive: 120 });
  assert.equal(own.connack.properties?.serverKeepAlive, 60);
  await own.client.endAsync();
});

test("open messages are bounded by the client's receive maximum, and in the other direction by the broker's", async () => {
  const { root } = newTopics();
  const own = await raw(root, [0x21, 0, 2]);
  const sender = await open();
  for (const n of [1, 2, 3]) await sender.client.publishAsync(root, Buffer.of(n), { qos: 1 });
  const message = (n: number) => packet(0x32, root, [0, n], [0], [n]);
  own.send(packet(0xc0));
  const first = Buffer.concat([message(1), message(2), Buffer.of(0xd0, 0)]);
  assert.deepEqual(await own.take(first.length), first);
  own.send(packet(0x40, [0, 1]));
  assert.deepEqual(await own.take(message(3).length), message(3));
  own.close();
  const flood = await raw(`${root}/none`);
  for (let id = 1; id <= 21; id++) flood.send(packet(0x34, `${root}/flood`, [0, id], [0], [id]));
  const answers = await flood.take(20 * 4 + 4);
  assert.deepEqual(answers.subarray(-3), Buffer.of(0xe0, 1, 0x93));
  await sender.client.endAsync();
});

test("a will waits for its delay, or until its session expires if that is earlier", async () => {
  for (const [delay, expiry] of [
    [3, 5],
    [5, 0],
    [5, 2],
  ] as const) {
    const { root } = newTopics();
    const watcher = await open();
    await watcher.client.subscribeAsync(root, { qos: 2 });
    const will = { topic: root, payload: Buffer.from("late"), qos: 0 as const, retain: false };
    const leaving = await open({
      properties: { sessionExpiryInterval: expiry },
      will: { ...will, properties: { willDelayInterval: delay } },
    });
    leaving.break();
    const wait = Math.min(delay, expiry);
    if (wait > 0) {
      await watcher.client.publishAsync(root, "before", { qos: 1 });
      assert.deepEqual(
        (await watcher.arrived(1)).splice(0).map(({ payload }) => payload),
        ["before"],
      );
      // The delay begins when the end of the connection is stored.
      await eventually(async () => {
        clock.advance(wait * SECOND);
        return watcher.messages.length > 0;
      });
    }
    await watcher.arrived(1);
    assert.deepEqual(payloads(watcher), ["late"]);
    await watcher.client.endAsync();
  }
});
