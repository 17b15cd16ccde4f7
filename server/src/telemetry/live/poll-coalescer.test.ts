import assert from "node:assert/strict";
import { test } from "node:test";
import { createSharedLook } from "./poll-coalescer.ts";
import { toSnapshot } from "./snapshot.ts";
import type { TelemetryChanges, TelemetryPlace } from "./telemetry-changes.ts";

/** A database whose next transaction is `next`, and how often it was looked at. */
function database() {
  const state = { next: 100, looks: 0, fails: false };
  const read = async (): Promise<TelemetryChanges> => {
    state.looks++;
    if (state.fails) throw new Error("gone");
    return { changes: [], next: placeAt(state.next) };
  };
  return { state, read };
}

function placeAt(next: number, open = ""): TelemetryPlace {
  return { seen: toSnapshot(`${next}:${next}:${open}`) };
}

/** What a follower does each second. */
async function step(shared: ReturnType<typeof createSharedLook>, place: TelemetryPlace): Promise<TelemetryPlace> {
  return shared.join((await shared.look(place)).next);
}

test("those who are at the same place look once, however late one of them asks within the second", async () => {
  const { state, read } = database();
  const shared = createSharedLook(read);
  const start = shared.join(placeAt(90));
  const [one, two] = await Promise.all([step(shared, start), step(shared, start)]);
  assert.equal(await step(shared, start), one);
  assert.equal(one, two);
  assert.equal(state.looks, 1);
});

test("who comes back from elsewhere looks alone, and then with the others when they are not ahead", async () => {
  const { state, read } = database();
  const shared = createSharedLook(read);
  const others = await step(shared, shared.join(placeAt(90)));
  state.next = 110;
  assert.equal(await step(shared, placeAt(50)), others);
  assert.equal(state.looks, 2);
  assert.notEqual(shared.join(placeAt(99)), others);
});

test("nobody joins a round that began after what they have been told of", async () => {
  const { read } = database();
  const shared = createSharedLook(read);
  const round = { seen: toSnapshot("200:200:"), after: { device_uid: "a", metric: "b" } };
  const others = shared.join(placeAt(90));
  const inRound = createSharedLook(async () => ({ changes: [], next: { ...others, round } }));
  const place = (await inRound.look(inRound.join(others))).next;
  const behind = placeAt(150);
  assert.equal(inRound.join(behind), behind);
  assert.equal(inRound.join(placeAt(200)), place);
  assert.equal(shared.place, others);
});

test("a look that failed is tried again", async () => {
  const { state, read } = database();
  const shared = createSharedLook(read);
  const start = shared.join(placeAt(90));
  state.fails = true;
  await assert.rejects(shared.look(start), /gone/);
  state.fails = false;
  assert.deepEqual((await shared.look(start)).next, placeAt(100));
  assert.equal(state.looks, 2);
});
