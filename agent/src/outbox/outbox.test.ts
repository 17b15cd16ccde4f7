import assert from "node:assert/strict";
import { test } from "node:test";
import type { Session } from "../connection/session.ts";
import { AgentError } from "../errors.ts";
import { systemRuntime } from "../runtime.ts";
import { Outbox } from "./outbox.ts";
import type { DropReason } from "./refusals.ts";

interface Sent {
  topic: string;
  packetId: number;
  dup: boolean;
  acknowledge: (code?: number) => void;
}

/** A broker seen through a session: it records sent messages, and acknowledges them when the test says so. */
function broker(options: Partial<Session> = {}) {
  const sent: Sent[] = [];
  const session: Session = {
    version: "5",
    isContinued: false,
    receiveMaximum: 0xffff,
    closed: new Promise(() => {}),
    end: () => Promise.resolve(),
    publish: ({ topic, packetId, dup }, acknowledged) => {
      sent.push({ topic, packetId, dup, acknowledge: (code = 0) => acknowledged(code, undefined) });
      return 0;
    },
    ...options,
  };
  return { session, sent, topics: () => sent.map((one) => one.topic) };
}

const LOST = { text: "the connection was closed" };
const blamed = (code: number) => ({ text: "the message is at fault", code });

function outbox(limits = { maxMessages: 1000, maxBytes: 100_000 }) {
  const drops: Array<[number, DropReason]> = [];
  const pauses: Array<{ ms: number; end: () => void }> = [];
  const sleep = (ms: number) => new Promise<void>((end) => pauses.push({ ms, end }));
  const runtime = { ...systemRuntime, random: () => 0, sleep };
  return { drops, pauses, box: new Outbox(limits, runtime, (count, reason) => drops.push([count, reason])) };
}

const payload = Buffer.from("1");

test("messages wait for a session and resolve on their own acknowledgement", async () => {
  const { box } = outbox();
  const { session, sent, topics } = broker();
  const first = box.add("a", payload, false);
  const second = box.add("b", payload, false);
  box.attach(session);
  assert.deepEqual(topics(), ["a", "b"]);
  sent[1]!.acknowledge();
  await second;
  assert.equal(box.length, 1);
  sent[0]!.acknowledge();
  await first;
  await box.drained();
  assert.equal(box.acknowledged, 2);
});

test("unacknowledged messages of a lost session are sent first on the next one, in order", async () => {
  const { box } = outbox();
  const one = broker();
  const two = broker();
  for (const topic of ["a", "b", "c"]) box.add(topic, payload, false);
  box.attach(one.session);
  one.sent[1]!.acknowledge();
  box.detach(one.session, LOST);
  box.add("d", payload, false);
  box.attach(two.session);
  assert.deepEqual(two.topics(), ["a", "c", "d"]);
});

test("the end of a session that was taken over does not affect the new one", () => {
  const { box } = outbox();
  const old = broker();
  const next = broker();
  box.add("a", payload, false);
  box.attach(old.session);
  box.attach(next.session);
  box.detach(old.session, LOST);
  old.sent[0]!.acknowledge();
  box.add("b", payload, false);
  assert.deepEqual(next.topics(), ["a", "b"]);
});

test("at most 64 messages are unacknowledged at once", () => {
  const { box } = outbox();
  const { session, sent } = broker();
  box.attach(session);
  for (let i = 0; i < 200; i++) box.add(`${i}`, payload, false);
  assert.equal(sent.length, 64);
  sent[0]!.acknowledge();
  assert.equal(sent.length, 65);
});

for (const [version, end] of [
  ["3.1.1", LOST],
  ["5", blamed(0x82)],
] as const)
  test(`MQTT ${version}: a message that five sessions end on is dropped, and the next one is sent`, async () => {
    const { box, drops } = outbox();
    const poison = box.add("poison", payload, false);
    const good = box.add("good", payload, false);
    for (let i = 0; i < 5; i++) {
      const { session } = broker({ version });
      box.attach(session);
      box.detach(session, end);
    }
    await assert.rejects(poison, (error: AgentError) => error.code === "dropped");
    assert.deepEqual(drops, [[1, "unacknowledged"]]);
    const { session, sent, topics } = broker();
    box.attach(session);
    assert.deepEqual(topics(), ["good"]);
    sent[0]!.acknowledge();
    await good;
  });

test("sessions that acknowledged a message are not counted against the oldest one", () => {
  const { box, drops } = outbox();
  box.add("slow", payload, false);
  for (let i = 0; i < 20; i++) {
    const { session, sent } = broker();
    box.add("quick", payload, false);
    box.attach(session);
    sent.at(-1)!.acknowledge();
    box.detach(session, LOST);
  }
  assert.deepEqual(drops, []);
});

test("a full queue reports what it drops and rejects it", async () => {
  const { box, drops } = outbox({ maxMessages: 1, maxBytes: 1000 });
  const first = box.add("a", payload, false);
  box.add("b", payload, false);
  await assert.rejects(first, (error: AgentError) => error.code === "dropped");
  assert.deepEqual(drops, [[1, "queue_full"]]);
  assert.equal(box.dropped, 1);
});

test("clear rejects the remaining messages and resolves drained", async () => {
  const { box } = outbox();
  const left = box.add("a", payload, false);
  const drained = box.drained();
  box.clear(new AgentError("closed", "closed"));
  await assert.rejects(left, (error: AgentError) => error.code === "closed");
  await drained;
});

test("MQTT 5: no message is dropped for sessions that end for other reasons", () => {
  const { box, drops } = outbox();
  box.add("a", payload, false);
  for (const end of [LOST, blamed(0x8b), blamed(0x8e), blamed(0x9c), LOST, LOST, LOST]) {
    const { session } = broker();
    box.attach(session);
    box.detach(session, end);
  }
  assert.deepEqual(drops, []);
});

test("a refused message is reported with its reason, and the next ones are sent", async () => {
  const { box, drops } = outbox();
  const { session, sent } = broker();
  box.attach(session);
  const refused = box.add("a", payload, false);
  const next = box.add("b", payload, false);
  sent[0]!.acknowledge(0x87);
  sent[1]!.acknowledge(0x10);
  await assert.rejects(refused, { code: "message_refused", reasonCode: 0x87 });
  await next;
  assert.deepEqual(drops, [[1, "refused"]]);
});

test("a message that the broker cannot accept now is resent after a pause, before later ones", async () => {
  const { box, drops, pauses } = outbox();
  const { session, sent, topics } = broker({ receiveMaximum: 2 });
  box.attach(session);
  for (const topic of ["a", "b", "c"]) box.add(topic, payload, false);
  sent[0]!.acknowledge(0x97);
  sent[1]!.acknowledge(0x97);
  assert.deepEqual(topics(), ["a", "b"]);
  assert.deepEqual(
    pauses.map(({ ms }) => ms),
    [5_000],
  );
  pauses[0]!.end();
  await new Promise(setImmediate);
  assert.deepEqual(topics(), ["a", "b", "a", "b"]);
  sent[2]!.acknowledge(0x97);
  assert.deepEqual(
    pauses.map(({ ms }) => ms),
    [5_000, 10_000],
  );
  assert.equal(box.length, 3);
  assert.deepEqual(drops, []);
});

test("a message too large for the broker is refused, and a retained one over a quota is not retried", async () => {
  const { box } = outbox();
  const small = broker({ publish: () => 0x95 });
  const large = box.add("a", payload, false);
  box.attach(small.session);
  await assert.rejects(large, { code: "message_too_large" });
  const { session, sent } = broker();
  box.attach(session);
  const retained = box.add("a", payload, true);
  sent[0]!.acknowledge(0x97);
  await assert.rejects(retained, { code: "message_refused", reasonCode: 0x97 });
});

test("no more messages than the broker permits are unacknowledged at once", () => {
  const { box } = outbox();
  const { session, sent } = broker({ receiveMaximum: 20 });
  box.attach(session);
  for (let i = 0; i < 50; i++) box.add(`${i}`, payload, false);
  assert.equal(sent.length, 20);
});

test("unacknowledged messages keep their packet ids in a continued session, and get others in a new one", () => {
  const { box } = outbox();
  const sessions = [broker(), broker({ isContinued: true }), broker()];
  for (const topic of ["a", "b"]) box.add(topic, payload, false);
  for (const [at, { session, sent }] of sessions.entries()) {
    box.attach(session);
    if (at === 0) sent[0]!.acknowledge();
    if (at === 1) box.add("c", payload, false);
    box.detach(session, LOST);
  }
  const seen = sessions.map(({ sent }) => sent.map(({ topic, packetId, dup }) => `${topic}${packetId}${dup}`));
  assert.deepEqual(seen, [
    ["a1false", "b2false"],
    ["b2true", "c3false"],
    ["b4false", "c5false"],
  ]);
});
