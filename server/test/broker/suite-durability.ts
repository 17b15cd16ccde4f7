import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { BrokerPolicy } from "../../src/broker/policy.ts";
import { PINGREQ, publishPacket, rawSession } from "./raw-client.ts";
import { besides, connect, type MakeEngine, startWorld, type World } from "./world.ts";

/** Holds every message until the test says how its storing ended. */
function held() {
  const waiting: { payload: string; stored(): void; failed(): void }[] = [];
  let arrived = () => {};
  return {
    waiting,
    around: (policy: BrokerPolicy): BrokerPolicy => ({
      ...policy,
      message: (_principal, _topic, payload) =>
        new Promise((resolve, reject) => {
          waiting.push({ payload: payload.toString(), stored: resolve, failed: () => reject(new Error("disk full")) });
          arrived();
        }),
    }),
    /** Resolves when `count` messages are held. */
    count: async (count: number): Promise<void> => {
      while (waiting.length < count) {
        await new Promise<void>((resolve) => {
          arrived = resolve;
        });
      }
    },
  };
}

export function durabilityRules(makeEngine: MakeEngine): void {
  let shared: World;
  before(async () => {
    shared = await startWorld(makeEngine);
  });
  after(() => shared.stop());

  test("a message is acknowledged when it is stored and not before, in the order of sending", async (t) => {
    const hold = held();
    const world = await besides(t, makeEngine, shared, { around: hold.around });
    const device = await world.enroll();
    const client = await rawSession(world, device);
    client.send(...[1, 2, 3, 4].map((n) => publishPacket(device.topic, `{"n":${n}}`, 1, n)));
    await hold.count(4);
    assert.deepEqual(
      hold.waiting.map(({ payload }) => payload),
      [1, 2, 3, 4].map((n) => `{"n":${n}}`),
      "side by side, in order",
    );
    hold.waiting[2]!.stored();
    hold.waiting[1]!.stored();
    await new Promise((resolve) => setTimeout(resolve, 50));
    assert.equal(client.received().length, 4, "nothing before the first is stored");
    hold.waiting[0]!.stored();
    const received = await client.atLeast(16);
    assert.deepEqual([...received.subarray(4)], [0x40, 2, 0, 1, 0x40, 2, 0, 2, 0x40, 2, 0, 3]);
    hold.waiting[3]!.stored();
    await client.atLeast(20);
    client.socket.destroy();
  });

  test("while storing fails nothing is acknowledged, the session stays, and what was sent is stored afterwards", async (t) => {
    const hold = held();
    const world = await besides(t, makeEngine, shared, { around: hold.around });
    const device = await world.enroll();
    const client = await rawSession(world, device);
    client.send(...[1, 2].map((n) => publishPacket(device.topic, `{"n":${n}}`, 1, n)));
    await hold.count(2);
    hold.waiting[0]!.failed();
    hold.waiting[1]!.failed();
    await hold.count(3);
    assert.equal(client.received().length, 4);
    assert.equal(hold.waiting[2]!.payload, '{"n":1}', "the first one first");
    hold.waiting[2]!.failed();
    await hold.count(4);
    hold.waiting[3]!.stored();
    await hold.count(5);
    assert.deepEqual([...(await client.atLeast(8)).subarray(4)], [0x40, 2, 0, 1]);
    hold.waiting[4]!.stored();
    assert.deepEqual([...(await client.atLeast(12)).subarray(8)], [0x40, 2, 0, 2]);
    client.socket.destroy();
    await client.ended;
    assert.equal(hold.waiting.length, 5);
  });

  test("a session that ends while storing fails leaves nothing to be tried again", async (t) => {
    const hold = held();
    const world = await besides(t, makeEngine, shared, { around: hold.around });
    const device = await world.enroll();
    const client = await rawSession(world, device);
    client.send(publishPacket(device.topic, "{}", 1, 1));
    await hold.count(1);
    hold.waiting[0]!.failed();
    await hold.count(2);
    await world.enrollment.revokeCertificate(world.caller, device.certificateId);
    hold.waiting[1]!.failed();
    await client.ended;
    // Another's message that fails later is tried again: by then the first would have been, too.
    const other = await world.enroll();
    const later = await rawSession(world, other);
    later.send(publishPacket(other.topic, "{}", 1, 1));
    await hold.count(3);
    hold.waiting[2]!.failed();
    await hold.count(4);
    hold.waiting[3]!.stored();
    await later.atLeast(8);
    assert.equal(hold.waiting.length, 4);
    assert.equal(client.received().length, 4);
    later.socket.destroy();
  });

  test("QoS 2 is answered once it is stored, and stored once however often it is sent before its PUBREL", async (t) => {
    const hold = held();
    const world = await besides(t, makeEngine, shared, { around: hold.around });
    const device = await world.enroll();
    const client = await rawSession(world, device);
    client.send(publishPacket(device.topic, "{}", 2, 7));
    await hold.count(1);
    client.send(PINGREQ);
    hold.waiting[0]!.stored();
    const first = await client.atLeast(10);
    assert.ok(first.includes(Buffer.from([0x50, 2, 0, 7])));
    client.send(publishPacket(device.topic, "{}", 2, 7, 8));
    await client.atLeast(14);
    assert.equal(hold.waiting.length, 1);
    client.send([0x62, 2, 0, 7]);
    const done = await client.atLeast(18);
    assert.deepEqual([...done.subarray(14)], [0x70, 2, 0, 7]);
    client.socket.destroy();
  });

  test("what was sent before a DISCONNECT is stored, also when the client does not wait", async () => {
    const world = shared;
    const device = await world.enroll();
    const client = await rawSession(world, device);
    const packets = Array.from({ length: 50 }, (_, n) => publishPacket(device.topic, `{"m${n}":1}`));
    client.send(...packets, [0xe0, 0]);
    await client.ended;
    await world.telemetry.drain();
    assert.equal((await world.telemetry.listLatest(world.caller, device.deviceId)).length, 50);
  });

  test("stopping lets messages under way be stored and acknowledged", async (t) => {
    const hold = held();
    const world = await besides(t, makeEngine, shared, { around: hold.around });
    const device = await world.enroll();
    const client = await connect(world, device);
    const published = client.publishAsync(device.topic, "{}", { qos: 1 });
    await hold.count(1);
    const stopped = world.engine.stop();
    hold.waiting[0]!.stored();
    await published;
    await stopped;
    client.end(true);
  });
}
