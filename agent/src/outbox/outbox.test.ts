import assert from "node:assert/strict";
import { test } from "node:test";
import type { Session } from "../connection/session.ts";
import { AgentError } from "../errors.ts";
import { type DropReason, Outbox } from "./outbox.ts";

/** A broker seen through a session: what it was sent, acknowledged when the test says so. */
function broker() {
  const sent: Array<{ topic: string; acknowledge: () => void }> = [];
  const session: Session = {
    closed: new Promise(() => {}),
    end: () => Promise.resolve(),
    publish: (topic, _payload, _retain, acknowledge) => sent.push({ topic, acknowledge }),
  };
  return { session, sent, topics: () => sent.map((one) => one.topic) };
}

function outbox(limits = { maxMessages: 1000, maxBytes: 100_000 }) {
  const drops: Array<[number, DropReason]> = [];
  return { drops, box: new Outbox(limits, (count, reason) => drops.push([count, reason])) };
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
  box.detach(one.session);
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
  box.detach(old.session);
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

test("a message that five sessions end on is dropped, and the next one is sent", async () => {
  const { box, drops } = outbox();
  const poison = box.add("poison", payload, false);
  const good = box.add("good", payload, false);
  for (let i = 0; i < 5; i++) {
    const { session } = broker();
    box.attach(session);
    box.detach(session);
  }
  await assert.rejects(poison, (error: AgentError) => error.code === "dropped");
  assert.deepEqual(drops, [[1, "unacknowledged"]]);
  const { session, sent, topics } = broker();
  box.attach(session);
  assert.deepEqual(topics(), ["good"]);
  sent[0]!.acknowledge();
  await good;
});

test("sessions that acknowledged a message do not count against the oldest one", () => {
  const { box, drops } = outbox();
  box.add("slow", payload, false);
  for (let i = 0; i < 20; i++) {
    const { session, sent } = broker();
    box.add("quick", payload, false);
    box.attach(session);
    sent.at(-1)!.acknowledge();
    box.detach(session);
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
