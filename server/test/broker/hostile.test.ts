import assert from "node:assert/strict";
import { type Socket, connect as tcpConnect } from "node:net";
import { after, before, test } from "node:test";
import { createEngine } from "../../src/broker/engine/engine.ts";
import { eventually } from "../harness/eventually.ts";
import { connect, connectGateway, type Device, startBroker, type TestBroker, withEngine } from "./environment.ts";
import {
  connectPacket,
  field,
  PINGREQ,
  packet,
  publishPacket,
  type RawClient,
  rawClient,
  rawSession,
} from "./raw-client.ts";

let broker: TestBroker;
let device: Device;

before(async () => {
  broker = await startBroker(createEngine);
  device = await broker.enroll();
});
after(() => broker.stop());

function ended(socket: Socket): Promise<void> {
  socket.on("error", () => undefined);
  return new Promise((resolve) => socket.once("close", () => resolve()));
}

test("a client that is silent, does not speak TLS or stops in the handshake is disconnected in time", async (t) => {
  const own = await withEngine(t, createEngine, broker, { limits: { mqttHandshakeSeconds: 0.15 } });
  const openings = [[], [0x16], [0x16, 3, 1, 0, 200, 1, 0, 0, 196], [...Buffer.from("GET / HTTP/1.1\r\n\r\n")]];
  await Promise.all(
    openings.map(async (bytes) => {
      const socket = tcpConnect(own.port, "127.0.0.1");
      if (bytes.length > 0) socket.write(Buffer.from(bytes));
      socket.resume();
      await ended(socket);
    }),
  );
});

/** Opens a session and retries if a slow machine has not accepted the CONNECT in time. */
async function sessionInTime(own: TestBroker, enrolled: Device): Promise<RawClient> {
  for (;;) {
    const client = await rawSession(own, enrolled).catch(() => undefined);
    if (client) return client;
  }
}

test("a client that does not send its complete CONNECT is disconnected in time, even if it sends byte by byte", async (t) => {
  const own = await withEngine(t, createEngine, broker, { limits: { mqttConnectSeconds: 0.8 } });
  const enrolled = await own.enroll();
  const silent = await rawClient(own, enrolled);
  const dripping = await rawClient(own, enrolled);
  const whole = connectPacket({ clientId: enrolled.deviceId });
  let at = 0;
  const drip = setInterval(() => {
    if (!dripping.socket.destroyed) dripping.socket.write(whole.subarray(at, ++at));
  }, 50);
  await Promise.all([silent.ended, dripping.ended]);
  clearInterval(drip);
  assert.ok(at < whole.length);
  const patient = await sessionInTime(own, enrolled);
  // A silent client that connects later is disconnected after the time at which this one would have been.
  await (await rawClient(own, enrolled)).ended;
  patient.send(PINGREQ);
  await patient.atLeast(6);
  patient.socket.destroy();
});

test("the number of unauthenticated sockets is limited, and devices can still connect", async (t) => {
  const own = await withEngine(t, createEngine, broker, { limits: { mqttUnauthenticated: 20 } });
  const enrolled = await own.enroll();
  const sockets = Array.from({ length: 60 }, () => tcpConnect(own.port, "127.0.0.1").resume());
  let gone = 0;
  for (const socket of sockets) ended(socket).then(() => gone++);
  assert.ok(await eventually(async () => gone >= 40));
  const client = await connect(own, enrolled);
  assert.ok(await eventually(async () => gone >= 41));
  await client.publishAsync(enrolled.topic, "{}", { qos: 1 });
  const more = Array.from({ length: 40 }, () => tcpConnect(own.port, "127.0.0.1").resume());
  for (const socket of more) ended(socket).then(() => gone++);
  await eventually(async () => gone >= 80);
  assert.equal(client.connected, true, "an authenticated client is not counted");
  await client.endAsync();
  for (const socket of [...sockets, ...more]) socket.destroy();
});

test("a packet that is too long ends the connection at its header: 64 KiB before, 256 KiB after the CONNECT", async () => {
  const unauthenticated = await rawClient(broker, device);
  unauthenticated.send([0x10, 0x81, 0x80, 0x04]);
  await unauthenticated.ended;
  const client = await rawSession(broker, device);
  const room = 256 * 1024 - 4 - 2 - device.topic.length - 2;
  client.send(publishPacket(device.topic, Buffer.alloc(room, 32), 1, 1));
  assert.deepEqual([...(await client.atLeast(8)).subarray(4)], [0x40, 2, 0, 1]);
  client.send(publishPacket(device.topic, Buffer.alloc(room + 1, 32), 1, 2).subarray(0, 10));
  await client.ended;
  const huge = await rawSession(broker, device);
  huge.send([0x30, 0xff, 0xff, 0xff, 0x7f]);
  await huge.ended;
});

test("a forbidden packet ends its connection and no other", async () => {
  const bystander = await rawSession(broker, await broker.enroll());
  const forbidden = [
    publishPacket(device.topic, "{}", 3, 1),
    publishPacket(device.topic, "{}", 1, 0),
    publishPacket(`${device.topic}\0`, "{}"),
    publishPacket(Buffer.concat([Buffer.from(device.topic), Buffer.of(0xff)]), "{}"),
    publishPacket("+/#", "{}"),
    publishPacket("x".repeat(65_535), "{}"),
    packet(0x82, [0, 1]),
    packet(0x20, [0, 0]),
    packet(0xf0),
    connectPacket({ clientId: device.deviceId }),
  ];
  for (const bytes of forbidden) {
    const client = await rawSession(broker, device);
    client.send(bytes);
    await client.ended;
    assert.equal(client.received().length, 4, bytes.toString("hex").slice(0, 40));
  }
  bystander.send(PINGREQ);
  await bystander.atLeast(6);
  bystander.socket.destroy();
});

/** MQTT 5 answers an unknown protocol level. */
function connackOf(code: number | undefined): number[] {
  if (code === undefined) return [];
  return code === 0x84 ? [0x20, 3, 0, code, 0] : [0x20, 2, 0, code];
}

test("a CONNECT that MQTT forbids is refused, with a return code if there is one", async () => {
  const will = Buffer.concat([field("t\0"), field("p")]);
  const cases: [Buffer, number | undefined][] = [
    [connectPacket({ clientId: "" }), 2],
    [connectPacket({ clientId: "", flags: 0 }), 2],
    [connectPacket({ clientId: "x".repeat(65) }), 2],
    [connectPacket({ clientId: device.deviceId, level: 6 }), 0x84],
    [connectPacket({ clientId: device.deviceId, level: 3 }), 1],
    [connectPacket({ clientId: device.deviceId, name: "MQTx" }), undefined],
    [connectPacket({ clientId: device.deviceId, flags: 3 }), undefined],
    [connectPacket({ clientId: `${device.deviceId}\0` }), undefined],
    [connectPacket({ clientId: device.deviceId, flags: 0x06, rest: will }), undefined],
    [PINGREQ, undefined],
  ];
  for (const [bytes, code] of cases) {
    const client = await rawClient(broker, device);
    client.send(bytes);
    await client.ended;
    assert.deepEqual([...client.received()], connackOf(code));
  }
});

test("CONNECT, PUBLISH and DISCONNECT in one segment leave a stored message and no open session", async () => {
  const enrolled = await broker.enroll();
  const client = await rawClient(broker, enrolled);
  client.send(connectPacket({ clientId: enrolled.deviceId }), publishPacket(enrolled.topic, '{"a":1}'), [0xe0, 0]);
  await client.ended;
  await broker.telemetry.drain();
  assert.equal((await broker.telemetry.listLatest(broker.caller, enrolled.deviceId))[0]?.value, 1);
  assert.equal(broker.sessionOf(enrolled.deviceId), undefined);
});

test("a client above its message rate is read more slowly, loses nothing and stays connected", async (t) => {
  const own = await withEngine(t, createEngine, broker, { limits: { mqttMessagesPerSecond: 500 } });
  const enrolled = await own.enroll();
  const client = await rawSession(own, enrolled);
  const began = performance.now();
  for (let n = 1; n <= 1000; n++) client.send(publishPacket(enrolled.topic, `{"n":${n}}`, 1, n));
  const received = await client.atLeast(4 + 4 * 1000);
  assert.ok(performance.now() - began >= 900, "500 at once, the rest over one second");
  const order = Array.from({ length: 1000 }, (_, n) => received.readUInt16BE(4 + 4 * n + 2));
  assert.deepEqual(
    order,
    Array.from({ length: 1000 }, (_, n) => n + 1),
  );
  assert.equal((await own.telemetry.listLatest(own.caller, enrolled.deviceId))[0]?.value, 1000);
  client.socket.destroy();
});

test("a subscriber that does not read is disconnected and does not delay other clients", async (t) => {
  const limits = { mqttBacklogBytes: 512 * 1024, mqttBytesPerSecond: Infinity };
  const own = await withEngine(t, createEngine, broker, { limits });
  const [slow, other] = [await own.enroll(), await own.enroll()];
  const sender = await connectGateway(own, { publish: [slow.filter] });
  const sleeper = await rawSession(own, slow);
  sleeper.send(packet(0x82, [0, 1], field(slow.filter), [1]));
  await sleeper.atLeast(9);
  sleeper.socket.pause();
  const client = await connect(own, other);
  const payload = Buffer.alloc(64 * 1024);
  const gone = eventually(async () => own.sessionOf(slow.deviceId) === undefined);
  for (let n = 0; n < 400 && own.sessionOf(slow.deviceId) !== undefined; n++) {
    await sender.publishAsync(slow.filter, payload, { qos: 1 });
  }
  assert.equal(await gone, true);
  await client.publishAsync(other.topic, "{}", { qos: 1 });
  await client.endAsync();
  await sender.endAsync();
  sleeper.socket.destroy();
});

test("QoS 2 messages that are never released end with their connection", async () => {
  const client = await rawSession(broker, device);
  client.send(...[1, 2, 3].map((n) => publishPacket(device.topic, "{}", 2, n)));
  await client.atLeast(4 + 12);
  client.socket.destroy();
  const again = await rawSession(broker, device);
  again.send(packet(0x62, [0, 1]));
  assert.deepEqual([...(await again.atLeast(8)).subarray(4)], [0x70, 2, 0, 1]);
  again.socket.destroy();
});

test("at most 20 QoS 2 messages wait for their PUBREL; each release admits one more PUBREC", async () => {
  const own = await broker.enroll();
  const client = await rawSession(broker, own);
  client.send(...Array.from({ length: 30 }, (_, n) => publishPacket(own.topic, `{"n":${n}}`, 2, n + 1)), PINGREQ);
  const first = await client.atLeast(4 + 20 * 4 + 2);
  assert.equal(first.length, 4 + 20 * 4 + 2, "20 PUBRECs, and the PINGRESP of a packet behind them");
  client.send(...Array.from({ length: 5 }, (_, n) => packet(0x62, [0, n + 1])));
  await client.atLeast(first.length + 5 * 4 + 5 * 4);
  await broker.telemetry.drain();
  assert.equal((await broker.telemetry.listLatest(broker.caller, own.deviceId))[0]?.value, 24);
  client.socket.destroy();
});

test("20 unreleased QoS 2 messages are stored and forgotten, and half a megabyte is deferred", async (t) => {
  const own = await withEngine(t, createEngine, broker, { limits: { mqttBytesPerSecond: Infinity } });
  const enrolled = await own.enroll();
  const client = await rawSession(own, enrolled);
  const payload = Buffer.alloc(100 * 1024, 32);
  const send = (from: number, to: number) => {
    for (let id = from; id <= to; id++) client.send(publishPacket(enrolled.topic, payload, 2, id));
  };
  send(1, 20);
  await client.atLeast(4 + 20 * 4);
  send(21, 25);
  client.send(PINGREQ);
  assert.equal((await client.atLeast(4 + 20 * 4 + 2)).length, 4 + 20 * 4 + 2, "no PUBREC for those held back");
  send(26, 26);
  await client.ended;
  assert.equal(client.received().length, 4 + 20 * 4 + 2);
});

test("after several hundred connections with mutated packets the broker still serves clients", async () => {
  const enrolled = await broker.enroll();
  let state = 20261120;
  const random = (below: number) => {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0;
    return (state >>> 8) % below;
  };
  const templates = [
    connectPacket({ clientId: enrolled.deviceId }),
    publishPacket(enrolled.topic, '{"a":1}', 1, 5),
    publishPacket(enrolled.topic, '{"a":1}', 2, 6),
    packet(0x82, [0, 1], field(enrolled.filter), [1]),
    packet(0xa2, [0, 2], field(enrolled.filter)),
    packet(0x62, [0, 6]),
    Buffer.from(PINGREQ),
  ];
  for (let round = 0; round < 300; round++) {
    const client = await rawClient(broker, enrolled);
    const bytes = Buffer.concat([templates[0]!, ...Array.from({ length: 6 }, () => templates[random(7)]!)]);
    const from = round % 2 === 0 ? templates[0]!.length : 0;
    for (let n = 0; n < 1 + random(3); n++) bytes[from + random(bytes.length - from)] = random(256);
    const cut = random(bytes.length);
    client.send(bytes.subarray(0, cut));
    client.send(bytes.subarray(cut), [0xe0, 0]);
    client.socket.end();
    await client.ended;
  }
  await (await connect(broker, enrolled)).endAsync();
});
