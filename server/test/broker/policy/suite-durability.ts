import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { BrokerPolicy } from "../../../src/broker/policy/policy.ts";
import { connect, startBroker, type TestBroker, withEngine } from "../environment.ts";
import type { Place } from "../place.ts";
import { PINGREQ, publishPacket, rawSession } from "../raw-client.ts";

/** Delays the storage of every message until the test settles it. */
function delayedStoring() {
  const waiting: { payload: string; stored(): void; failed(): void }[] = [];
  let arrived = () => {};
  return {
    waiting,
    around: (policy: BrokerPolicy): BrokerPolicy => ({
      ...policy,
      storeMessage: (_principal, _topic, payload) =>
        new Promise((resolve, reject) => {
          waiting.push({
            payload: payload.toString(),
            stored: () => resolve(undefined),
            failed: () => reject(new Error("disk full")),
          });
          arrived();
        }),
    }),
    /** Resolves when this many messages wait to be settled. */
    count: async (count: number): Promise<void> => {
      while (waiting.length < count) {
        await new Promise<void>((resolve) => {
          arrived = resolve;
        });
      }
    },
  };
}

export function durabilityRules(place: Place): void {
  let shared: TestBroker;
  before(async () => {
    shared = await startBroker(place);
  });
  after(() => shared.stop());

  for (const isTakenOver of [true, false]) {
    const how = isTakenOver ? "a second connection takes over" : "the connection breaks";
    test(`after ${how}, the client is accepted again once its will is stored, so that later messages follow it`, async (t) => {
      const storing = delayedStoring();
      const broker = await withEngine(t, place, shared, { around: storing.around });
      const device = await broker.enroll();
      const will = { topic: device.topic, payload: Buffer.from("gone"), qos: 1 as const, retain: true };
      const first = await connect(broker, device, { will });
      if (!isTakenOver) {
        first.stream.destroy();
        await storing.count(1);
      }
      let isAccepted = false;
      const connecting = connect(broker, device).finally(() => {
        isAccepted = true;
      });
      await storing.count(1);
      await new Promise((resolve) => setTimeout(resolve, 50));
      assert.equal(isAccepted, false);
      storing.waiting[0]!.stored();
      const second = await connecting;
      assert.deepEqual(
        storing.waiting.map(({ payload }) => payload),
        ["gone"],
      );
      await second.endAsync();
    });
  }

  test("messages are acknowledged in the order of sending, and only once they are stored", async (t) => {
    const storing = delayedStoring();
    const broker = await withEngine(t, place, shared, { around: storing.around });
    const device = await broker.enroll();
    const client = await rawSession(broker, device);
    client.send(...[1, 2, 3, 4].map((n) => publishPacket(device.topic, `{"n":${n}}`, 1, n)));
    await storing.count(4);
    assert.deepEqual(
      storing.waiting.map(({ payload }) => payload),
      [1, 2, 3, 4].map((n) => `{"n":${n}}`),
      "concurrently, in order",
    );
    storing.waiting[2]!.stored();
    storing.waiting[1]!.stored();
    await new Promise((resolve) => setTimeout(resolve, 50));
    assert.equal(client.received().length, 4, "nothing before the first is stored");
    storing.waiting[0]!.stored();
    const received = await client.atLeast(16);
    assert.deepEqual([...received.subarray(4)], [0x40, 2, 0, 1, 0x40, 2, 0, 2, 0x40, 2, 0, 3]);
    storing.waiting[3]!.stored();
    await client.atLeast(20);
    client.socket.destroy();
  });

  test("while storing fails, nothing is acknowledged, the session stays open, and the messages are stored afterwards", async (t) => {
    const storing = delayedStoring();
    const broker = await withEngine(t, place, shared, { around: storing.around });
    const device = await broker.enroll();
    const client = await rawSession(broker, device);
    client.send(...[1, 2].map((n) => publishPacket(device.topic, `{"n":${n}}`, 1, n)));
    await storing.count(2);
    storing.waiting[0]!.failed();
    storing.waiting[1]!.failed();
    await storing.count(3);
    assert.equal(client.received().length, 4);
    assert.equal(storing.waiting[2]!.payload, '{"n":1}', "the first one first");
    storing.waiting[2]!.failed();
    await storing.count(4);
    storing.waiting[3]!.stored();
    await storing.count(5);
    assert.deepEqual([...(await client.atLeast(8)).subarray(4)], [0x40, 2, 0, 1]);
    storing.waiting[4]!.stored();
    assert.deepEqual([...(await client.atLeast(12)).subarray(8)], [0x40, 2, 0, 2]);
    client.socket.destroy();
    await client.ended;
    assert.equal(storing.waiting.length, 5);
  });

  test("messages of a session that ends while storing fails are not retried", async (t) => {
    const storing = delayedStoring();
    const broker = await withEngine(t, place, shared, { around: storing.around });
    const device = await broker.enroll();
    const client = await rawSession(broker, device);
    client.send(publishPacket(device.topic, "{}", 1, 1));
    await storing.count(1);
    storing.waiting[0]!.failed();
    await storing.count(2);
    await broker.enrollment.revokeCertificate(broker.caller, device.certificateId);
    storing.waiting[1]!.failed();
    await client.ended;
    // The message of another device fails later and is retried: by then the first one would have been retried, too.
    const other = await broker.enroll();
    const later = await rawSession(broker, other);
    later.send(publishPacket(other.topic, "{}", 1, 1));
    await storing.count(3);
    storing.waiting[2]!.failed();
    await storing.count(4);
    storing.waiting[3]!.stored();
    await later.atLeast(8);
    assert.equal(storing.waiting.length, 4);
    assert.equal(client.received().length, 4);
    later.socket.destroy();
  });

  test("a QoS 2 message is acknowledged once it is stored, and stored once even if it is repeated before its PUBREL", async (t) => {
    const storing = delayedStoring();
    const broker = await withEngine(t, place, shared, { around: storing.around });
    const device = await broker.enroll();
    const client = await rawSession(broker, device);
    client.send(publishPacket(device.topic, "{}", 2, 7));
    await storing.count(1);
    client.send(PINGREQ);
    storing.waiting[0]!.stored();
    const first = await client.atLeast(10);
    assert.ok(first.includes(Buffer.from([0x50, 2, 0, 7])));
    client.send(publishPacket(device.topic, "{}", 2, 7, 8));
    await client.atLeast(14);
    assert.equal(storing.waiting.length, 1);
    client.send([0x62, 2, 0, 7]);
    const done = await client.atLeast(18);
    assert.deepEqual([...done.subarray(14)], [0x70, 2, 0, 7]);
    client.socket.destroy();
  });

  test("a stop waits until messages in flight are stored and acknowledged", async (t) => {
    const storing = delayedStoring();
    const broker = await withEngine(t, place, shared, { around: storing.around });
    const device = await broker.enroll();
    const client = await connect(broker, device);
    const published = client.publishAsync(device.topic, "{}", { qos: 1 });
    await storing.count(1);
    const stopped = broker.stopEngine();
    storing.waiting[0]!.stored();
    await published;
    await stopped;
    client.end(true);
  });
}
