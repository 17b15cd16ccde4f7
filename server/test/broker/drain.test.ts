import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { createEngine } from "../../src/broker/engine/engine.ts";
import { eventually } from "../harness/eventually.ts";
import { connect, startBroker, type TestBroker, withEngine } from "./environment.ts";
import { properties, publish5, session5 } from "./mqtt5.ts";
import { packet } from "./packets.ts";
import { rawSession } from "./raw-client.ts";

/** The shutdown of a process (MQTT 5, 4.11). */
let broker: TestBroker;

before(async () => {
  broker = await startBroker(createEngine);
});
after(() => broker.stop());

const REFERENCE = "broker-2.example:8883";

test("a drain sends clients of MQTT 5 to another server, and disconnects the others", async (t) => {
  const own = await withEngine(t, createEngine, broker, { serverReference: REFERENCE });
  const [five, small, older] = [await own.enroll(), await own.enroll(), await own.enroll()];
  const [moved, limited] = [
    await session5(own, five),
    await session5(own, small, { properties: properties([0x27, 0, 0, 0, 20]) }),
  ];
  const closed = await rawSession(own, older);
  moved.send(publish5(five.topic, '{"a":1}', 1, 7));
  await moved.answers(4);
  await own.drain();
  const ack = [0x40, 2, 0, 7];
  assert.deepEqual(await moved.rest(), [...ack, ...packet(0xe0, [0x9c, REFERENCE.length + 3, 0x1c], REFERENCE)]);
  assert.deepEqual(await limited.rest(), [0xe0, 1, 0x9c], "the client permits no longer packet [MQTT-3.14.2-3]");
  await closed.ended;
  assert.equal(closed.received().length, 4, "MQTT 3.1.1 has no DISCONNECT of a server");
  await assert.rejects(connect(own, five), "no more connections are accepted");
});

test("a drain ends a limited number of sessions per second; the others are served until their turn", async (t) => {
  const own = await withEngine(t, createEngine, broker, { limits: { mqttDrainedPerSecond: 0.15 } });
  const devices = [await own.enroll(), await own.enroll()] as const;
  const first = await session5(own, devices[0]);
  const second = await session5(own, devices[1]);
  const drained = own.drain();
  assert.deepEqual(await first.rest(), [0xe0, 1, 0x8b]);
  second.send(publish5(devices[1].topic, '{"a":1}', 1, 9));
  assert.deepEqual([...(await second.answers(4))].slice(0, 4), [0x40, 2, 0, 9]);
  await drained;
  assert.deepEqual(await second.rest(), [0x40, 2, 0, 9, 0xe0, 1, 0x8b]);
  assert.ok(await eventually(async () => devices.every(({ deviceId }) => own.sessionOf(deviceId) === undefined)));
});
