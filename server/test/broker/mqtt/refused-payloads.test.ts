import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { createEngine } from "../../../src/broker/engine/engine.ts";
import { connect, connectGateway, startBroker, type TestBroker } from "../environment.ts";
import { NONE, properties, publish5, session5 } from "../mqtt5.ts";
import { packet } from "../packets.ts";

let broker: TestBroker;

before(async () => {
  broker = await startBroker(createEngine);
});
after(() => broker.stop());

const SUCCESS_1 = [0x40, 2, 0, 1];
const NULL_REASON = '"a" is null; a value is a number, true, false or a string';

test("MQTT 5: a message of which nothing is stored is acknowledged with 0x83 and the reason, others with success", async () => {
  const device = await broker.enroll();
  const client = await session5(broker, device, { properties: NONE });
  client.send(
    publish5(device.topic, '{"a":1,"b":null}', 1, 1),
    publish5(device.topic, '{"a":null}', 1, 2),
    publish5(device.topic, '{"place":{"lat":1}}', 1, 3),
  );
  const text = `nothing of this message was stored: ${NULL_REASON}`;
  const refusal = [...packet(0x40, [0, 2, 0x83, text.length + 3, 0x1f], text)];
  const expected = [...SUCCESS_1, ...refusal, 0x40, 2, 0, 3];
  assert.deepEqual([...(await client.answers(expected.length))], expected);
  const latest = await broker.telemetry.listLatest(broker.caller, device.deviceId);
  assert.deepEqual(
    latest.map(({ metric }) => metric),
    ["a", "place.lat"],
  );
});

test("MQTT 5: a PUBREC refuses a QoS 2 message, whose packet id is free again without a PUBREL", async () => {
  const device = await broker.enroll();
  const client = await session5(broker, device);
  client.send(publish5(device.topic, "no JSON", 2, 7), publish5(device.topic, '{"a":1}', 2, 7));
  const expected = [0x50, 3, 0, 7, 0x83, 0x50, 2, 0, 7];
  assert.deepEqual([...(await client.answers(expected.length))], expected);
});

test("MQTT 5: 0x99 is for a payload that is not text although its format indicator says so", async () => {
  const device = await broker.enroll();
  const client = await session5(broker, device);
  const isText = properties([1, 1]);
  const notText = Buffer.from(publish5(device.topic, "x", 1, 1, isText));
  notText[notText.length - 1] = 0xff;
  client.send(notText, publish5(device.topic, "x", 1, 2, isText), publish5(device.topic, "x", 1, 3));
  const expected = [0x40, 3, 0, 1, 0x99, 0x40, 3, 0, 2, 0x83, 0x40, 3, 0, 3, 0x83];
  assert.deepEqual([...(await client.answers(expected.length))], expected);
});

test("MQTT 3.1.1: a message of which nothing is stored is acknowledged, because it would only come again", async () => {
  const device = await broker.enroll();
  const client = await connect(broker, device);
  await client.publishAsync(device.topic, "no JSON", { qos: 1 });
  await client.endAsync();
  const [rejected] = await broker.telemetry.listRejected(broker.caller, device.deviceId);
  assert.equal(rejected?.reason, "the payload is not valid JSON");
});

test("subscribers receive a message that is no telemetry", async () => {
  const device = await broker.enroll();
  const filter = `t/${broker.caller.tenantSlug}/#`;
  const reader = await connectGateway(broker, { subscribe: [filter] });
  const received = new Promise<string>((resolve) => reader.on("message", (_, payload) => resolve(String(payload))));
  await reader.subscribeAsync(filter);
  const client = await session5(broker, device);
  client.send(publish5(device.topic, "no JSON", 1, 1));
  assert.equal(await received, "no JSON");
  assert.deepEqual([...(await client.answers(5))], [0x40, 3, 0, 1, 0x83]);
  await reader.endAsync();
});
