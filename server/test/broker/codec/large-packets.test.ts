import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { createEngine } from "../../../src/broker/engine/engine.ts";
import type { BrokerPolicy } from "../../../src/broker/policy/policy.ts";
import { startBroker, type TestBroker, withEngine } from "../environment.ts";
import { client5, publish5, session5, subscribe5 } from "../mqtt5.ts";
import { packet } from "../packets.ts";
import { rawSession } from "../raw-client.ts";

const LARGE = 200 * 1024;
const NO_RATE = { mqttMessagesPerSecond: Infinity, mqttBytesPerSecond: Infinity };

let broker: TestBroker;

before(async () => {
  broker = await startBroker(createEngine, { limits: { ...NO_RATE, qos2Bytes: 4 * LARGE } });
});
after(() => broker.stop());

const topicOf = (path: string) => `t/${broker.caller.tenantSlug}/${path}`;

test("large messages that arrive in pieces reach a subscriber unchanged", async () => {
  const client = await client5(broker, ["large/one"]);
  client.send(subscribe5(1, topicOf("large/one"), 0));
  const sent = ["a", "b", "c"].map((text) => publish5(topicOf("large/one"), text.repeat(LARGE)));
  for (const message of sent) client.send(message);
  const received = await client.after(6, 3 * sent[0]!.length);
  assert.ok(received.equals(Buffer.concat(sent)));
  client.socket.destroy();
});

test("a large retained message is complete for a later subscriber", async () => {
  const client = await client5(broker, ["large/kept"]);
  const retained = (text: string, qos: 0 | 1) => {
    const message = publish5(topicOf("large/kept"), text.repeat(LARGE), qos, 1);
    message[0]! |= 1;
    return message;
  };
  client.send(retained("k", 1));
  await client.after(0, 5);
  client.send(publish5(topicOf("large/kept"), "x".repeat(LARGE), 1, 2));
  await client.after(0, 10);
  client.send(subscribe5(3, topicOf("large/kept"), 0));
  const expected = retained("k", 0);
  assert.ok((await client.after(10 + 6, expected.length)).equals(expected));
  client.socket.destroy();
});

test("large QoS 2 messages that wait for a PUBREL are complete when their turn comes", async (t) => {
  const own = await withEngine(t, createEngine, broker, {
    limits: { ...NO_RATE, qos2Bytes: 4 * LARGE, qos2InFlight: 1 },
  });
  const [from, to] = [await client5(own, ["large/held"]), await client5(own, ["large/held"])];
  to.send(subscribe5(1, topicOf("large/held"), 0));
  await to.answers(6);
  for (const [index, text] of ["p", "q"].entries()) {
    from.send(publish5(topicOf("large/held"), text.repeat(LARGE), 2, index + 1));
  }
  const first = publish5(topicOf("large/held"), "p".repeat(LARGE));
  assert.ok((await to.after(6, first.length)).equals(first));
  from.send(packet(0x62, [0, 1]));
  const second = publish5(topicOf("large/held"), "q".repeat(LARGE));
  assert.ok((await to.after(6 + first.length, second.length)).equals(second));
  for (const { socket } of [from, to]) socket.destroy();
});

test("the memory of a large message without subscribers is freed when it is acknowledged, and its session continues", async (t) => {
  const payloads: Buffer[] = [];
  const around = (policy: BrokerPolicy): BrokerPolicy => ({
    ...policy,
    storeMessage(principal, topic, payload) {
      payloads.push(payload);
      return policy.storeMessage(principal, topic, payload);
    },
  });
  const own = await withEngine(t, createEngine, broker, { limits: NO_RATE, around });
  const device = await own.enroll();
  const session = await rawSession(own, device);
  const publish = (id: number, text: string) => packet(0x32, device.topic, [0, id], [...Buffer.from(text)]);
  for (let id = 1; id <= 3; id++) {
    session.send(publish(id, "x".repeat(LARGE)));
    await session.atLeast(4 + 4 * id);
    assert.equal(payloads[id - 1]!.length, 0);
  }
  session.send(publish(4, '{"temperature":1}'));
  assert.deepEqual([...(await session.atLeast(20)).subarray(16)], [0x40, 2, 0, 4]);
  session.socket.destroy();
  assert.equal((await own.telemetry.listRejected(own.caller, device.deviceId)).length, 3);
});

test("sessions that stop in the middle of a large packet do not keep others of their tenant from being read", async (t) => {
  const own = await withEngine(t, createEngine, broker, {
    limits: { ...NO_RATE, mqttUnsettledBytesPerTenant: LARGE },
  });
  const stalled = await session5(own, await own.enroll());
  const client = await client5(own, ["large/other"]);
  const whole = publish5(topicOf("large/other"), "s".repeat(LARGE), 1, 1);
  stalled.send(whole.subarray(0, LARGE / 2));
  client.send(publish5(topicOf("large/other"), "o".repeat(LARGE), 1, 1));
  assert.deepEqual([...(await client.answers(5))], [0x40, 3, 0, 1, 0x10]);
  for (const { socket } of [stalled, client]) socket.destroy();
});
