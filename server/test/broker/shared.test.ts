import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { createEngine } from "../../src/broker/engine/engine.ts";
import { startBroker, type TestBroker } from "./environment.ts";
import { type Client5, client5, NONE, properties, publish5, session5, subscribe5 } from "./mqtt5.ts";
import { packet } from "./packets.ts";
import { DISCONNECT, PINGREQ } from "./raw-client.ts";

let broker: TestBroker;

before(async () => {
  broker = await startBroker(createEngine);
});
after(() => broker.stop());

const SUBACK = 6;
const PINGRESP = Buffer.of(0xd0, 0);

interface Group {
  topic: string;
  filter: string;
  /** A client that may publish and subscribe to the topic, and has subscribed to the group. */
  member(qos?: number, given?: number[], ids?: number[]): Promise<Client5>;
  /** A client with the same rights that has not subscribed. */
  client(): Promise<Client5>;
}

/** A separate topic for each test, and a group that shares a subscription to it. */
function group(name: string, at: TestBroker = broker): Group {
  const topic = `t/${at.caller.tenantSlug}/${name}/one`;
  const filter = `$share/workers/${topic}`;
  const client = (given = NONE) => client5(at, [`${name}/one`, `${name}/#`], { properties: given });
  return {
    topic,
    filter,
    client: () => client(),
    async member(qos = 1, given = NONE, ids = NONE) {
      const member = await client(given);
      member.send(subscribe5(9, filter, qos, ids));
      assert.deepEqual([...(await member.answers(SUBACK))], [0x90, 4, 0, 9, 0, qos]);
      return member;
    },
  };
}

/** Publishes at QoS 1 and waits until the broker has acknowledged all messages. */
async function publishAll(sender: Client5, topic: string, payloads: string[], qos = 1): Promise<void> {
  sender.send(...payloads.map((payload, at) => publish5(topic, payload, qos, at + 1)));
  await sender.answers(4 * payloads.length);
}

/** Returns everything that a client has received after its SUBACK, once it has answered a PINGREQ. */
async function gotBy(client: Client5, expected: Buffer[]): Promise<void> {
  client.send(PINGREQ);
  const bytes = Buffer.concat([...expected, PINGRESP]);
  assert.deepEqual(await client.after(SUBACK, bytes.length), bytes);
}

const close = (...clients: Client5[]) => {
  for (const { socket } of clients) socket.destroy();
};

test("a message goes to one member of each group in turn, and to every client with its own subscription", async () => {
  const { topic, member, client } = group("turns");
  const [a, b, alone, sender] = [await member(), await member(), await client(), await client()];
  const other = await client();
  alone.send(subscribe5(9, topic, 1));
  other.send(subscribe5(9, `$share/others/${topic.replace(/one$/, "#")}`, 1));
  await Promise.all([alone.answers(SUBACK), other.answers(SUBACK)]);
  await publishAll(sender, topic, ["1", "2", "3", "4"]);
  await gotBy(a, [publish5(topic, "1", 1, 1), publish5(topic, "3", 1, 2)]);
  await gotBy(b, [publish5(topic, "2", 1, 1), publish5(topic, "4", 1, 2)]);
  const all = ["1", "2", "3", "4"].map((payload, at) => publish5(topic, payload, 1, at + 1));
  await gotBy(alone, all);
  await gotBy(other, all);
  close(a, b, alone, other, sender);
});

test("a member receives messages with its own QoS and identifier, and no retained ones when it joins", async () => {
  const { topic, member, client } = group("grants");
  const sender = await client();
  const retained = publish5(topic, "0", 1, 1);
  retained[0] = 0x33;
  sender.send(retained);
  await sender.answers(4);
  const a = await member(0, NONE, properties([0x0b, 5]));
  sender.send(publish5(topic, "1", 1, 2));
  await sender.answers(9);
  await gotBy(a, [publish5(topic, "1", 0, 0, properties([0x0b, 5]))]);
  close(a, sender);
});

test("a member that does not acknowledge is skipped, and receives messages again once it has", async () => {
  const { topic, member, client } = group("slow");
  const slow = await member(1, properties([0x21, 0, 1]));
  const [quick, sender] = [await member(), await client()];
  await publishAll(sender, topic, ["1", "2", "3", "4"]);
  await gotBy(slow, [publish5(topic, "1", 1, 1)]);
  const got = ["2", "3", "4"].map((payload, at) => publish5(topic, payload, 1, at + 1));
  await gotBy(quick, got);
  slow.send(packet(0x40, [0, 1]), PINGREQ);
  const before = publish5(topic, "1", 1, 1).length + 2 * PINGRESP.length;
  await slow.after(SUBACK, before);
  sender.send(publish5(topic, "5", 1, 5));
  const next = publish5(topic, "5", 1, 2);
  assert.deepEqual(await slow.after(SUBACK + before, next.length), next);
  close(slow, quick, sender);
});

test("a member's unacknowledged QoS 1 messages go to another when its session ends, and refused ones do not", async () => {
  const { topic, member, client } = group("left");
  const leaving = await member(1, properties([0x21, 0, 2]));
  const sender = await client();
  await publishAll(sender, topic, ["1", "2", "3", "4"]);
  leaving.send(packet(0x40, [0, 1, 0x80]));
  const [one, two, three] = ["1", "2", "3"].map((payload, at) => publish5(topic, payload, 1, at + 1));
  await leaving.after(SUBACK, one!.length + two!.length + three!.length);
  const heir = await member();
  leaving.send(DISCONNECT);
  await leaving.ended;
  await heir.after(SUBACK, 3 * one!.length);
  await gotBy(
    heir,
    ["2", "3", "4"].map((payload, at) => publish5(topic, payload, 1, at + 1)),
  );
  close(heir, sender);
});

test("unacknowledged messages go to no other member when all sessions end, since that one would end next", async () => {
  const stopping = await startBroker(createEngine);
  const { topic, member, client } = group("stopped", stopping);
  const leaving = await member();
  const sender = await client();
  await publishAll(sender, topic, ["1"]);
  const sent = publish5(topic, "1", 1, 1);
  await leaving.after(SUBACK, sent.length);
  const other = await member();
  await stopping.stop();
  const shutdown = [0xe0, 1, 0x8b];
  assert.deepEqual((await leaving.rest()).slice(SUBACK), [...sent, ...shutdown]);
  assert.deepEqual((await other.rest()).slice(SUBACK), shutdown);
  close(sender);
});

test("a QoS 2 message that was sent to a member goes to no other", async () => {
  const { topic, member, client } = group("exactly");
  const leaving = await member(2);
  const sender = await client();
  await publishAll(sender, topic, ["1"], 2);
  const sent = publish5(topic, "1", 2, 1);
  assert.deepEqual(await leaving.after(SUBACK, sent.length), sent);
  const heir = await member(2);
  leaving.send(DISCONNECT);
  await leaving.ended;
  await gotBy(heir, []);
  close(heir, sender);
});

test("a member that has left the group receives nothing more", async () => {
  const { topic, filter, member, client } = group("gone");
  const [a, b, sender] = [await member(), await member(), await client()];
  a.send(packet(0xa2, [0, 8], NONE, filter));
  assert.deepEqual([...(await a.after(SUBACK, 6))], [0xb0, 4, 0, 8, 0, 0]);
  await publishAll(sender, topic, ["1", "2"]);
  await gotBy(b, [publish5(topic, "1", 1, 1), publish5(topic, "2", 1, 2)]);
  a.send(PINGREQ);
  assert.deepEqual(await a.after(SUBACK + 6, 2), PINGRESP);
  close(a, b, sender);
});

test("a group is allowed if its filter is, and never to a device", async () => {
  const { topic, filter, client } = group("policy");
  const device = await broker.enroll();
  const own = await session5(broker, device);
  own.send(subscribe5(1, `$share/g/${device.filter}`, 1));
  assert.deepEqual([...(await own.answers(SUBACK))], [0x90, 4, 0, 1, 0, 0x9e]);
  const member = await client();
  const filters = [filter, "$share/g/#", `$share/g/${topic}/more`, "$SYS/broker", "t/other/#"];
  member.send(packet(0x82, [0, 1], NONE, ...filters.flatMap((each) => [each, [1]])));
  assert.deepEqual([...(await member.answers(10))], [0x90, 8, 0, 1, 0, 1, 0x87, 1, 0x8f, 0x87]);
  for (const wrong of ["$share/g", "$share/g/", `$share//${topic}`, `$share/+/${topic}`]) {
    const client5Of = await client();
    client5Of.send(subscribe5(1, wrong, 1));
    assert.deepEqual(await client5Of.rest(), [0xe0, 1, 0x82], wrong);
  }
  const noLocal = await client();
  noLocal.send(subscribe5(1, filter, 4));
  assert.deepEqual(await noLocal.rest(), [0xe0, 1, 0x82], "[MQTT-3.8.3-4]");
  own.socket.destroy();
  close(member);
});

test("a client subscribes to at most 100 filters, whatever the names of groups", async () => {
  const { topic, client } = group("many");
  const member = await client();
  const filters = Array.from({ length: 99 }, (_, n) => `$share/g${n}/${topic}`);
  member.send(packet(0x82, [0, 1], NONE, ...filters.flatMap((each) => [each, [0]])));
  member.send(packet(0x82, [0, 2], NONE, topic, [0], `$share/x/${topic}`, [0], filters[0]!, [1]));
  const rest = (await member.answers(3 + 2 + 99 + 8)).subarray(-8);
  assert.deepEqual([...rest], [0x90, 6, 0, 2, 0, 0, 0x97, 1]);
  close(member);
});
