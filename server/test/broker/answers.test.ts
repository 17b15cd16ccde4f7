import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { createEngine } from "../../src/broker/engine/engine.ts";
import { addressRange } from "../../src/lib/address.ts";
import { MINUTE } from "../../src/lib/clock.ts";
import { eventually } from "../harness/eventually.ts";
import { type Device, journal, startBroker, type TestBroker, withEngine } from "./environment.ts";
import { type Client5, client5, connect5, properties, publish5, subscribe5 } from "./mqtt5.ts";
import { packet } from "./packets.ts";
import { connectPacket, type RawClient, rawClient, rawSession } from "./raw-client.ts";

let broker: TestBroker;

before(async () => {
  broker = await startBroker(createEngine);
});
after(() => broker.stop());

/** Returns the answer to a device's CONNECT in MQTT 3.1.1 and in 5; for an acceptance only the return code. */
async function answersTo(own: Pick<TestBroker, "port">, device: Device): Promise<[number[], number[]]> {
  const answerTo = async (connect: Buffer) => {
    const client = await rawClient(own, device);
    client.send(connect);
    const code = (await client.atLeast(4))[3]!;
    if (code === 0) client.socket.destroy();
    await client.ended;
    return code === 0 ? [0] : [...client.received()];
  };
  return [await answerTo(connectPacket({ clientId: device.deviceId })), await answerTo(connect5(device.deviceId))];
}

const refused = (code: number): [number[], number[]] => [
  [0x20, 2, 0, 3],
  [0x20, 3, 0, code, 0],
];
const ACCEPTED: [number[], number[]] = [[0], [0]];

test("CONNECTs beyond an address's limit per minute are refused with 0x9F; those of a proxy are not counted", async (t) => {
  const limits = { mqttConnectsPerMinute: 2 };
  const own = await withEngine(t, createEngine, broker, { limits });
  const device = await own.enroll();
  assert.deepEqual(await answersTo(own, device), ACCEPTED);
  assert.deepEqual(await answersTo(own, device), refused(0x9f));
  own.clock.advance(MINUTE);
  assert.deepEqual(await answersTo(own, device), ACCEPTED);
  const proxied = await withEngine(t, createEngine, broker, { limits, proxies: [addressRange("127.0.0.0/8")!] });
  for (let n = 0; n < 2; n++) assert.deepEqual(await answersTo(proxied, device), ACCEPTED);
});

test("a tenant at its limit of sessions gets no further one, but its clients can take theirs over", async (t) => {
  const own = await withEngine(t, createEngine, broker, { limits: { mqttSessionsPerTenant: 1 } });
  const caller = await own.newTenant();
  const [first, second, other] = [
    await own.enroll({ caller }),
    await own.enroll({ caller }),
    await own.enroll({ caller: await own.newTenant() }),
  ];
  const open = await rawSession(own, first);
  assert.deepEqual(await answersTo(own, second), refused(0x97));
  assert.equal((await journal(own, caller))[0], "session_quota");
  assert.deepEqual(await answersTo(own, other), ACCEPTED);
  const successor = await rawSession(own, first);
  await open.ended;
  successor.socket.destroy();
  assert.ok(await eventually(async () => (await answersTo(own, second))[0][0] === 0));
});

test("when many clients of a tenant connect simultaneously, those beyond its limit are refused", async (t) => {
  const allowed = 5;
  const own = await withEngine(t, createEngine, broker, { limits: { mqttSessionsPerTenant: allowed } });
  const caller = await own.newTenant();
  const devices = await Promise.all(Array.from({ length: 3 * allowed }, () => own.enroll({ caller })));
  const clients = await Promise.all(devices.map((device) => rawClient(own, device)));
  for (const [n, client] of clients.entries()) client.send(connectPacket({ clientId: devices[n]!.deviceId }));
  const codes = await Promise.all(clients.map(async (client) => (await client.atLeast(4))[3]));
  assert.equal(codes.filter((code) => code === 0).length, allowed);
  assert.ok(codes.every((code) => code === 0 || code === 3));
});

const SLOW = 12;
/** The bytes of a queued message: its payload, its topic and 256. */
const PAYLOAD = 1_000;

test("at the outgoing limit a CONNECT is refused with 0x89, and a client with queued messages that reads gets 0x97", async (t) => {
  const own = await withEngine(t, createEngine, broker, {
    limits: { mqttBacklogBytesOfAll: SLOW * 5_000, mqttMessagesPerSecond: Infinity, mqttBytesPerSecond: Infinity },
  });
  const device = await own.enroll();
  const topic = `t/${own.caller.tenantSlug}/busy`;
  const slow: Client5[] = [];
  // These clients acknowledge nothing.
  const closed = { properties: properties([0x21, 0, 1, 0x17, 0]) };
  for (let n = 0; n < SLOW; n++) {
    const client = await client5(own, ["busy"], closed);
    client.send(subscribe5(1, topic, 1));
    await client.answers(6);
    slow.push(client);
  }
  const publisher = await client5(own, ["busy"]);
  for (let id = 1; id <= 5; id++) {
    publisher.send(publish5(topic, "x".repeat(PAYLOAD), 1, id));
    await publisher.answers(4 * id);
  }
  const [ended] = await Promise.race(slow.map(async (client) => [await client.rest()]));
  assert.deepEqual(ended!.slice(-3), [0xe0, 1, 0x97]);
  assert.deepEqual(await answersTo(own, device), refused(0x89));
  for (const { socket } of slow) socket.destroy();
  assert.ok(await eventually(async () => (await answersTo(own, device))[1][0] === 0));
  publisher.socket.destroy();
});

test("a client that does not acknowledge is disconnected with 0x97 when too much is queued for it", async (t) => {
  const limits = { mqttBacklogBytes: 20_000, mqttMessagesPerSecond: Infinity, mqttBytesPerSecond: Infinity };
  const own = await withEngine(t, createEngine, broker, { limits });
  const topic = `t/${own.caller.tenantSlug}/slow`;
  const client = await client5(own, ["slow"], { properties: properties([0x21, 0, 1, 0x17, 0]) });
  client.send(subscribe5(1, topic, 1));
  await client.answers(6);
  const publisher = await client5(own, ["slow"]);
  for (let id = 1; id <= 20; id++) publisher.send(publish5(topic, "x".repeat(PAYLOAD), 1, id));
  assert.deepEqual((await client.rest()).slice(-3), [0xe0, 1, 0x97]);
  publisher.socket.destroy();
});

test("an unknown protocol level is answered as in MQTT 5, and level 3 or 4 under the other name with return code 1", async () => {
  const device = await broker.enroll();
  for (const [name, level, answer] of [
    ["MQTT", 3, [0x20, 2, 0, 1]],
    ["MQIsdp", 4, [0x20, 2, 0, 1]],
    ["MQIsdp", 5, [0x20, 3, 0, 0x84, 0]],
    ["MQTT", 6, [0x20, 3, 0, 0x84, 0]],
    ["MQTT", 2, [0x20, 3, 0, 0x84, 0]],
  ] as const) {
    const client: RawClient = await rawClient(broker, device);
    client.send(packet(0x10, name, [level, 2, 0, 60], device.deviceId));
    await client.ended;
    assert.deepEqual([...client.received()], answer, `${name} ${level}`);
  }
});
