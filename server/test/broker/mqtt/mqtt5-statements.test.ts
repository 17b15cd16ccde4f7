import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { createEngine } from "../../../src/broker/engine/engine.ts";
import { SECOND } from "../../../src/lib/clock.ts";
import { startBroker, type TestBroker } from "../environment.ts";
import { type Client5, type Connect5, client5, NONE, properties, publish5, subscribe5 } from "../mqtt5.ts";
import { packet } from "../packets.ts";

let broker: TestBroker;

before(async () => {
  broker = await startBroker(createEngine);
});
after(() => broker.stop());

const topicOf = (name: string) => `t/${broker.caller.tenantSlug}/${name}/one`;
const clientOf = (name: string, options: Connect5 = {}): Promise<Client5> => client5(broker, [`${name}/one`], options);
const SUBACK = 6;

test("a QoS 2 message sent for the third time without DUP ends the session; one with DUP, or another, is acknowledged", async () => {
  const topic = topicOf("ids");
  const ack = [0x50, 2, 0, 7];
  const duplicate = publish5(topic, "1", 2, 7);
  duplicate[0]! |= 8;
  const client = await clientOf("ids");
  const others = ["2", "1", "2"].map((payload) => publish5(topic, payload, 2, 7));
  client.send(publish5(topic, "1", 2, 7), duplicate, duplicate, duplicate, ...others, others[0]!);
  const acks = Array.from({ length: 8 }, () => ack).flat();
  assert.deepEqual([...(await client.answers(acks.length))], acks);
  client.send(others[0]!);
  assert.deepEqual(await client.rest(), [...acks, 0xe0, 1, 0x82]);
});

test("a packet id is free again after its PUBACK, its PUBCOMP, or a PUBREC that refuses", async () => {
  const [client, watcher] = [await clientOf("ids"), await clientOf("ids")];
  const topic = topicOf("ids");
  watcher.send(subscribe5(9, topic, 0));
  await watcher.answers(SUBACK);
  const steps: [Buffer, number[]][] = [
    [publish5(topic, "1", 1, 7), [0x40, 2, 0, 7]],
    [publish5(topic, "2", 1, 7), [0x40, 2, 0, 7]],
    [publish5("t/other", "x", 2, 7), [0x50, 3, 0, 7, 0x87]],
    [publish5(topic, "3", 2, 7), [0x50, 2, 0, 7]],
    [publish5(topic, "3", 2, 7), [0x50, 2, 0, 7]],
    [packet(0x62, [0, 7]), [0x70, 2, 0, 7]],
    [publish5(topic, "4", 2, 7), [0x50, 2, 0, 7]],
  ];
  let at = 0;
  for (const [sent, answer] of steps) {
    client.send(sent);
    assert.deepEqual([...(await client.after(at, answer.length))], answer);
    at += answer.length;
  }
  const got = Buffer.concat(["1", "2", "3", "4"].map((payload) => publish5(topic, payload)));
  assert.deepEqual(await watcher.after(SUBACK, got.length), got, "what is repeated is passed on once");
  client.socket.destroy();
  watcher.socket.destroy();
});

test("an UNSUBSCRIBE does not end the delivery of messages that have arrived", async () => {
  const topic = topicOf("rest");
  const client = await clientOf("rest", { properties: properties([0x21, 0, 1]) });
  const sender = await clientOf("rest");
  client.send(subscribe5(9, topic, 1));
  await client.answers(SUBACK);
  sender.send(publish5(topic, "1", 1, 1), publish5(topic, "2", 1, 2));
  await sender.answers(8);
  const [one, two] = [publish5(topic, "1", 1, 1), publish5(topic, "2", 1, 2)];
  client.send(packet(0xa2, [0, 8], NONE, topic));
  await client.after(SUBACK, one.length + 6);
  sender.send(publish5(topic, "3", 1, 3));
  assert.deepEqual([...(await sender.after(8, 5))], [0x40, 3, 0, 3, 0x10]);
  client.send(packet(0x40, [0, 1]));
  assert.deepEqual(await client.after(SUBACK + one.length + 6, two.length), two);
  client.socket.destroy();
  sender.socket.destroy();
});

test("a QoS 2 message that was sent is completed, even if it expires in the process", async () => {
  const topic = topicOf("late");
  const [client, sender] = [await clientOf("late"), await clientOf("late")];
  client.send(subscribe5(9, topic, 2));
  await client.answers(SUBACK);
  const expiring = properties([2, 0, 0, 0, 1]);
  const sent = publish5(topic, "1", 2, 1, expiring);
  sender.send(sent);
  await sender.answers(4);
  assert.deepEqual(await client.after(SUBACK, sent.length), sent);
  broker.clock.advance(5 * SECOND);
  client.send(packet(0x50, [0, 1]));
  assert.deepEqual([...(await client.after(SUBACK + sent.length, 4))], [0x62, 2, 0, 1]);
  sender.send(packet(0x62, [0, 1]));
  assert.deepEqual([...(await sender.after(4, 4))], [0x70, 2, 0, 1]);
  client.socket.destroy();
  sender.socket.destroy();
});

test("a will is published with its properties, including user properties in order", async () => {
  const topic = topicOf("will");
  const watcher = await clientOf("will");
  watcher.send(subscribe5(9, topic, 1));
  await watcher.answers(SUBACK);
  const kept = properties(
    [1, 1, 3],
    "text/plain",
    [8],
    topic,
    [9],
    "id",
    [0x26],
    "b",
    "1",
    [0x26],
    "a",
    "2",
    [0x26],
    "b",
    "3",
  );
  const client = await clientOf("will", { flags: 6, rest: [kept, topic, "gone"] });
  client.socket.destroy();
  const will = publish5(topic, "gone", 0, 0, kept);
  assert.deepEqual(await watcher.after(SUBACK, will.length), will);
  watcher.socket.destroy();
});

test("a client gets one CONNACK, and no DISCONNECT before it", async () => {
  const client = await clientOf("connack");
  client.send(packet(0xe1, [0]));
  assert.deepEqual(await client.rest(), [0xe0, 1, 0x81], "the reserved flags of a DISCONNECT");
  const connack = client.received();
  assert.deepEqual([connack[0], connack.length], [0x20, 2 + connack[1]! + 3]);
});
