import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { createEngine } from "../../../src/broker/engine/engine.ts";
import { SECOND } from "../../../src/lib/clock.ts";
import { eventually } from "../../harness/eventually.ts";
import {
  brokerFor,
  connect,
  connectGateway,
  type Device,
  startBroker,
  type TestBroker,
  withEngine,
} from "../environment.ts";
import { connect5, NONE, properties, publish5, session5 } from "../mqtt5.ts";
import { packet } from "../packets.ts";
import { DISCONNECT, PINGREQ, rawClient } from "../raw-client.ts";

let broker: TestBroker;

before(async () => {
  broker = await startBroker(createEngine);
});
after(() => broker.stop());

const PINGRESP = [0xd0, 0];
const FIVE = { protocolVersion: 5 } as const;

test("a device connects with MQTT 5 and publishes at every QoS", async () => {
  const device = await broker.enroll();
  const client = await connect(broker, device, { ...FIVE, properties: { sessionExpiryInterval: 60 } });
  for (const qos of [2, 1, 0] as const) await client.publishAsync(device.topic, `{"m${qos}":${qos}}`, { qos });
  await client.endAsync();
  const latest = await eventually(async () => {
    const values = await broker.telemetry.listLatest(broker.caller, device.deviceId);
    return values.length === 3 && values;
  });
  assert.deepEqual((latest || []).map(({ metric }) => metric).sort(), ["m0", "m1", "m2"]);
});

test("the CONNACK states the broker's capabilities, and sets a keep alive for a client without one or with a long one", async () => {
  const device = await broker.enroll();
  const week = [0x11, 0, 0x09, 0x3a, 0x80];
  for (const [keepAlive, expiry, given] of [
    [0, 0, [0x13, 0x0e, 0x10]],
    [3601, 255, [...week, 0x13, 0x0e, 0x10]],
    [3600, 0, []],
  ] as const) {
    const client = await rawClient(broker, device);
    client.send(connect5(device.deviceId, { keepAlive, properties: properties([0x11, expiry, 0, 0, 9]) }));
    const body = [...given, 0x22, 0, 10, 0x27, 0, 4, 0, 0, 0x21, 0, 64, 0x2a, 0];
    assert.deepEqual([...(await client.atLeast(5 + body.length))], [0x20, 3 + body.length, 0, 0, body.length, ...body]);
    client.socket.destroy();
  }
});

test("a CONNECT of MQTT 5 is refused with the reason code of its problem", async () => {
  const device = await broker.enroll();
  const revoked = await broker.enroll();
  await broker.enrollment.revokeCertificate(broker.caller, revoked.certificateId);
  const id = device.deviceId;
  const cases: [Device | undefined, Buffer, number | undefined][] = [
    [device, connect5("another"), 0x85],
    [device, connect5(`${id}\x01`), 0x85],
    [device, connect5(""), 0x85],
    [device, connect5(id, { flags: 3 }), undefined],
    [device, connect5(id, { flags: 0x82, rest: ["\x01"] }), undefined],
    [device, connect5(id, { properties: properties([0x27, 0, 0, 0, 2]) }), undefined],
    [device, connect5(id, { rest: ["more"] }), 0x81],
    [device, connect5(id, { properties: properties([0x21, 0, 0]) }), 0x82],
    [device, connect5(id, { properties: properties([0x15], "SCRAM") }), 0x8c],
    [device, connect5(id, { flags: 6, rest: [NONE, "t/other", "will"] }), 0x87],
    [revoked, connect5(revoked.deviceId), 0x87],
    [undefined, connect5(id), 0x87],
    [undefined, connect5(id, { flags: 0xc2, rest: ["name", "password"] }), 0x86],
  ];
  for (const [presented, bytes, code] of cases) {
    const client = await rawClient(broker, presented);
    client.send(bytes);
    await client.ended;
    assert.deepEqual([...client.received()], code === undefined ? [] : [0x20, 3, 0, code, 0], bytes.toString("hex"));
  }
});

test("an unauthorized publish is refused by its acknowledgement, in order, and the session stays", async () => {
  const device = await broker.enroll();
  const client = await session5(broker, device);
  client.send(
    publish5(device.topic, '{"a":1}', 1, 1),
    publish5("t/other", "{}", 1, 2),
    publish5("t/other", "{}", 2, 3),
    publish5(device.topic, '{"a":2}', 1, 4),
  );
  const expected = [0x40, 2, 0, 1, 0x40, 3, 0, 2, 0x87, 0x50, 3, 0, 3, 0x87, 0x40, 2, 0, 4];
  assert.deepEqual([...(await client.answers(expected.length))], expected);
  client.send(publish5("t/other", "{}", 0));
  assert.deepEqual((await client.rest()).slice(expected.length), [0xe0, 1, 0x87], "QoS 0 has no acknowledgement");
  assert.equal((await broker.telemetry.listLatest(broker.caller, device.deviceId))[0]?.value, 2);
});

test("the 21st unauthorized publish in a minute ends the session", async () => {
  const client = await session5(broker, await broker.enroll());
  for (let id = 1; id <= 21; id++) client.send(publish5("t/other", "{}", 1, id));
  assert.deepEqual((await client.rest()).slice(-3), [0xe0, 1, 0x87]);
});

test("a session ends with a DISCONNECT that has the reason code of its problem", async () => {
  const device = await broker.enroll();
  const open = { properties: properties([0x11, 0, 0, 0, 9, 0x17, 0]) };
  const cases: [Buffer, number][] = [
    [connect5(device.deviceId), 0x82],
    [packet(0xf0, [0]), 0x82],
    [publish5("t/#", "{}"), 0x81],
    [publish5(device.topic, "{}", 0, 1, properties([0x23, 0, 11])), 0x94],
    [publish5("", "{}", 0, 1, properties([0x23, 0, 1])), 0x82],
    [publish5("/".repeat(16), "{}"), 0x90],
    [packet(0x82, [0, 1], NONE, "/".repeat(16), [0]), 0x8f],
    [packet(0x82, [0, 1], NONE), 0x81],
    [packet(0x40, [0, 0]), 0x82],
    [Buffer.from([0x30, 0xff, 0xff, 0xff, 0x7f]), 0x95],
  ];
  for (const [bytes, code] of cases) {
    const client = await session5(broker, device, open);
    client.send(bytes);
    assert.deepEqual(await client.rest(), [0xe0, 1, code], bytes.toString("hex").slice(0, 40));
  }
  const late = await session5(broker, device);
  late.send(packet(0xe0, [0], properties([0x11, 0, 0, 0, 9])));
  assert.deepEqual(await late.rest(), [0xe0, 1, 0x82], "a session expiry that the CONNECT did not have");
});

test("reason strings explain refusals and disconnects, if the client permits them and they fit", async () => {
  const answersOf = async (given: number[], text: string) => {
    const device = await broker.enroll();
    const client = await session5(broker, device, { properties: given });
    client.send(publish5("t/other", "x", 1, 7));
    const ack = text === "" ? [0x40, 3, 0, 7, 0x87] : [...packet(0x40, [0, 7, 0x87, text.length + 3, 0x1f], text)];
    assert.deepEqual([...(await client.answers(ack.length))].slice(0, ack.length), ack);
    await broker.enrollment.revokeCertificate(broker.caller, device.certificateId);
    return (await client.rest()).slice(ack.length);
  };
  const denied = "this client may not publish to this topic";
  const ended = "revoked, deleted, disabled, suspended, or disconnected by an administrator";
  const disconnect = [...packet(0xe0, [0x98, ended.length + 3, 0x1f], ended)];
  assert.deepEqual(await answersOf(NONE, denied), disconnect);
  assert.deepEqual(await answersOf(properties([0x17, 1]), denied), disconnect);
  assert.deepEqual(await answersOf(properties([0x17, 0]), ""), [0xe0, 1, 0x98]);
  const short = [0x27, 0, 0, 0, 9 + denied.length];
  assert.deepEqual(await answersOf(properties(short), denied), [0xe0, 1, 0x98], "only one of them fits");
});

test("takeover, revocation, silence and a stop have distinct reason codes", async (t) => {
  const own = await withEngine(t, createEngine, broker, {});
  const [device, silent, last] = [await own.enroll(), await own.enroll(), await own.enroll()];
  const first = await session5(own, device);
  const second = await session5(own, device);
  assert.deepEqual(await first.rest(), [0xe0, 1, 0x8e]);
  await own.enrollment.revokeCertificate(own.caller, device.certificateId);
  assert.deepEqual(await second.rest(), [0xe0, 1, 0x98]);
  assert.deepEqual(await (await session5(own, silent, { keepAlive: 1 })).rest(), [0xe0, 1, 0x8d]);
  const open = await session5(own, last);
  await own.stopEngine();
  assert.deepEqual(await open.rest(), [0xe0, 1, 0x8b]);
});

test("subscriptions and unsubscriptions are answered with reason codes", async () => {
  const device = await broker.enroll();
  const client = await session5(broker, device);
  client.send(packet(0x82, [0, 7], NONE, device.filter, [1], "#", [1], "$share/g/a", [0]));
  client.send(packet(0xa2, [0, 8], NONE, device.filter, "never"), PINGREQ);
  const expected = [0x90, 6, 0, 7, 0, 1, 0x87, 0x9e, 0xb0, 5, 0, 8, 0, 0, 0x11, ...PINGRESP];
  assert.deepEqual([...(await client.answers(expected.length))], expected);
  client.socket.destroy();
});

test("a message reaches MQTT 5 subscribers with its properties, and 3.1.1 subscribers without them", async () => {
  const [device, older] = [await broker.enroll(), await broker.enroll()];
  const five = await connectGateway(broker, { publish: [device.filter, older.filter] }, FIVE);
  const client = await session5(broker, device);
  client.send(packet(0x82, [0, 7], NONE, device.filter, [1]));
  await client.answers(6);
  const sent = {
    payloadFormatIndicator: true,
    messageExpiryInterval: 60,
    contentType: "text/plain",
    responseTopic: "t/a/answer",
    correlationData: Buffer.from("id"),
    userProperties: { k: "v" },
  };
  await five.publishAsync(device.filter, "x", { qos: 1, properties: sent });
  const given = properties([1, 1, 2, 0, 0, 0, 60, 3], "text/plain", [8], "t/a/answer", [9], "id", [0x26], "k", "v");
  const message = publish5(device.filter, "x", 1, 1, given);
  assert.deepEqual((await client.answers(6 + message.length)).subarray(6), message);
  const plain = await connect(broker, older);
  const arrived = new Promise<string>((resolve) => plain.once("message", (_topic, payload) => resolve(`${payload}`)));
  await plain.subscribeAsync(older.filter, { qos: 1 });
  await five.publishAsync(older.filter, "y", { qos: 1, properties: sent });
  assert.equal(await arrived, "y");
  await Promise.all([five.endAsync(), plain.endAsync()]);
  client.socket.destroy();
});

test("subscription options: no local, retain as published, and retain handling", async () => {
  const topic = `t/${broker.caller.tenantSlug}/options`;
  const client = await connectGateway(broker, { publish: [topic], subscribe: [topic] }, FIVE);
  const got: string[] = [];
  client.on("message", (_topic, payload, { retain }) => got.push(`${payload}${retain ? " retained" : ""}`));
  await client.publishAsync(topic, "kept", { qos: 1, retain: true });
  await client.subscribeAsync(topic, { qos: 1, nl: true, rh: 2 });
  await client.publishAsync(topic, "own", { qos: 1 });
  await client.subscribeAsync(topic, { qos: 1, rap: true, rh: 1 });
  await client.publishAsync(topic, "again", { qos: 1, retain: true });
  await client.subscribeAsync(topic, { qos: 1, rh: 0 });
  await client.publishAsync(topic, "end", { qos: 1 });
  assert.ok(await eventually(async () => got.includes("end")));
  assert.deepEqual(got, ["again retained", "again retained", "end"]);
  await client.publishAsync(topic, "", { qos: 1, retain: true });
  await client.endAsync();
});

test("a message waits no longer than its expiry, and carries its remaining expiry", async (t) => {
  const own = await brokerFor(t, createEngine);
  const device = await own.enroll();
  const publisher = await session5(own, device);
  const retained = publish5(device.topic, '{"a":1}', 1, 1, properties([2, 0, 0, 0, 100]));
  retained[0] = 0x33;
  publisher.send(retained);
  await publisher.answers(4);
  // Its retained message stays, and is sent after those of the previous filter.
  const last = `t/${own.caller.tenantSlug}/end`;
  const gateway = await connectGateway(own, { publish: [last] });
  await gateway.publishAsync(last, "{}", { qos: 1, retain: true });
  await gateway.endAsync();
  const watch = async () => {
    const five = await connectGateway(own, { subscribe: [device.topic, last] }, FIVE);
    const got: (number | undefined)[] = [];
    const ended = new Promise<void>((resolve) =>
      five.on("message", (topic, _payload, { properties: given }) =>
        topic === last ? resolve() : got.push(given?.messageExpiryInterval),
      ),
    );
    await five.subscribeAsync([device.topic, last], { qos: 1 });
    await ended;
    await five.endAsync();
    return got;
  };
  own.clock.advance(30 * SECOND);
  assert.deepEqual(await watch(), [70]);
  own.clock.advance(70 * SECOND);
  assert.deepEqual(await watch(), []);
  publisher.socket.destroy();
});

test("a client receives no more open messages and no longer packets than it requested", async () => {
  const device = await broker.enroll();
  const sender = await connectGateway(broker, { publish: [device.filter] });
  const client = await session5(broker, device, { properties: properties([0x21, 0, 1, 0x27, 0, 0, 0, 200]) });
  client.send(packet(0x82, [0, 7], NONE, device.filter, [1]));
  await client.answers(6);
  for (const payload of ["1", "x".repeat(200), "2"]) await sender.publishAsync(device.filter, payload, { qos: 1 });
  const [first, second] = [publish5(device.filter, "1", 1, 1), publish5(device.filter, "2", 1, 3)];
  client.send(PINGREQ);
  assert.deepEqual(
    (await client.answers(6 + first.length + 2)).subarray(6),
    Buffer.concat([first, Buffer.of(...PINGRESP)]),
  );
  client.send(packet(0x40, [0, 1, 0x97]));
  const all = await client.answers(6 + first.length + 2 + second.length);
  assert.deepEqual(all.subarray(6 + first.length + 2), second, "the long one is left out");
  await sender.endAsync();
  client.socket.destroy();
});

test("a PUBREC that refuses a message ends it without a PUBREL", async () => {
  const device = await broker.enroll();
  const sender = await connectGateway(broker, { publish: [device.filter] });
  const client = await session5(broker, device, { properties: properties([0x21, 0, 1]) });
  client.send(packet(0x82, [0, 7], NONE, device.filter, [2]));
  await client.answers(6);
  for (const payload of ["1", "2"]) await sender.publishAsync(device.filter, payload, { qos: 2 });
  const [first, second] = [publish5(device.filter, "1", 2, 1), publish5(device.filter, "2", 2, 2)];
  await client.answers(6 + first.length);
  client.send(packet(0x50, [0, 1, 0x80]));
  assert.deepEqual((await client.answers(6 + first.length + second.length)).subarray(6 + first.length), second);
  await sender.endAsync();
  client.socket.destroy();
});

test("a client with more open messages than the receive maximum is disconnected", async (t) => {
  const own = await withEngine(t, createEngine, broker, {
    limits: { mqtt5ReceiveMaximum: 2 },
    around: (policy) => ({ ...policy, storeMessage: () => new Promise(() => undefined) }),
  });
  const device = await own.enroll();
  const client = await session5(own, device);
  client.send(
    publish5(device.topic, "{}", 1, 1),
    publish5(device.topic, "{}", 2, 2),
    publish5(device.topic, "{}", 2, 2),
  );
  client.send(PINGREQ, publish5(device.topic, "{}", 1, 3));
  assert.deepEqual(await client.rest(), [...PINGRESP, 0xe0, 1, 0x93]);
});

test("a will is published if a DISCONNECT asks for it, and not after a normal one", async () => {
  const device = await broker.enroll();
  const watcher = await connectGateway(broker, { subscribe: [device.topic] });
  await watcher.subscribeAsync(device.topic, { qos: 1 });
  const got: string[] = [];
  watcher.on("message", (_topic, payload) => got.push(`${payload}`));
  const will = { flags: 6, rest: [properties([0x18, 0, 0, 0, 9]), device.topic, '{"w":1}'] };
  const normal = await session5(broker, device, will);
  normal.send(DISCONNECT);
  await normal.ended;
  const asking = await session5(broker, device, will);
  asking.send(packet(0xe0, [4]));
  await asking.ended;
  const last = await session5(broker, device);
  last.send(publish5(device.topic, '{"last":1}', 1, 1));
  assert.ok(await eventually(async () => got.includes('{"last":1}')));
  assert.deepEqual(got, ['{"w":1}', '{"last":1}']);
  last.socket.destroy();
  await watcher.endAsync();
});
