import assert from "node:assert/strict";
import { test } from "node:test";
import type { ChangePage, ChangePosition } from "./changes.ts";
import { createPollCoalescer, type PollCoalescer } from "./poll-coalescer.ts";
import { parseSnapshot } from "./snapshot.ts";

/** A fake database whose next transaction is `next`, and a count of its queries. */
function database() {
  const state = { next: 100, queries: 0, fails: false };
  const read = async (): Promise<ChangePage> => {
    state.queries++;
    if (state.fails) throw new Error("gone");
    return { changes: [], next: positionAt(state.next) };
  };
  return { state, read };
}

function positionAt(next: number): ChangePosition {
  return { snapshot: parseSnapshot(`${next}:${next}:`) };
}

/** Performs one second of a follower's work. */
async function step(polls: PollCoalescer, position: ChangePosition): Promise<ChangePosition> {
  return polls.join((await polls.poll(position)).next);
}

test("followers at one position share a query, even if one polls late in the second", async () => {
  const { state, read } = database();
  const polls = createPollCoalescer(read);
  const start = polls.join(positionAt(90));
  const [one, two] = await Promise.all([step(polls, start), step(polls, start)]);
  assert.equal(await step(polls, start), one);
  assert.equal(one, two);
  assert.equal(state.queries, 1);
});

test("a follower at another position polls alone, then joins the others unless they are ahead", async () => {
  const { state, read } = database();
  const polls = createPollCoalescer(read);
  const others = await step(polls, polls.join(positionAt(90)));
  state.next = 110;
  assert.equal(await step(polls, positionAt(50)), others);
  assert.equal(state.queries, 2);
  assert.notEqual(polls.join(positionAt(99)), others);
});

test("a follower does not join a pass that began after what it has read", async () => {
  const { read } = database();
  const polls = createPollCoalescer(read);
  const pass = { snapshot: parseSnapshot("200:200:"), after: { device_uid: "a", metric: "b" } };
  const others = polls.join(positionAt(90));
  const inPass = createPollCoalescer(async () => ({ changes: [], next: { ...others, pass } }));
  const position = (await inPass.poll(inPass.join(others))).next;
  const behind = positionAt(150);
  assert.equal(inPass.join(behind), behind);
  assert.equal(inPass.join(positionAt(200)), position);
  assert.equal(polls.position, others);
});

test("a failed query is repeated", async () => {
  const { state, read } = database();
  const polls = createPollCoalescer(read);
  const start = polls.join(positionAt(90));
  state.fails = true;
  await assert.rejects(polls.poll(start), /gone/);
  state.fails = false;
  assert.deepEqual((await polls.poll(start)).next, positionAt(100));
  assert.equal(state.queries, 2);
});

test("a running query does not answer a follower whose values it may miss", async () => {
  const { state, read } = database();
  const polls = createPollCoalescer(read);
  const start = polls.join(positionAt(90));
  const first = polls.poll(start);
  polls.forget();
  await Promise.all([first, polls.poll(start)]);
  assert.equal(state.queries, 2);
});
