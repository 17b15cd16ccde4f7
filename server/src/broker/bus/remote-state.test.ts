import assert from "node:assert/strict";
import { test } from "node:test";
import type { BusReceiver } from "./bus.ts";
import { RemoteState } from "./remote-state.ts";

const SESSION = { ownerId: "owner", tenantId: "acme", subscriptions: [], expiresAt: null };

/** The state of one process while another, "peer", announces its stored sessions to it. */
function listener() {
  const state = new RemoteState<string>();
  /** Whether everything sent for each released session is stored. */
  const released: { isFlushed: boolean }[] = [];
  const receiver: Pick<BusReceiver, "released"> = {
    released(_session, flushed) {
      const each = { isFlushed: false };
      released.push(each);
      void flushed.then(() => {
        each.isFlushed = true;
      });
    },
  };
  const learn = async (frame: Parameters<typeof state.learn>[1]) => {
    state.learn("peer", frame, receiver as BusReceiver);
    await new Promise((resolve) => setImmediate(resolve));
  };
  const release = (session?: typeof SESSION) => learn({ type: "release", number: 1, ownerId: "owner", session });
  const flush = () => learn({ type: "flushed", ownerId: "owner" });
  return { state, released, release, flush, areFlushed: () => released.map(({ isFlushed }) => isFlushed) };
}

test("messages for a released session wait until its process has stored the messages it was sent", async () => {
  const { release, flush, areFlushed } = listener();
  await release(SESSION);
  assert.deepEqual(areFlushed(), [false]);
  await flush();
  assert.deepEqual(areFlushed(), [true]);
});

test("the deletion of a session waits for nothing, and does not end the wait for an earlier release", async () => {
  const { release, flush, areFlushed } = listener();
  await release();
  assert.deepEqual(areFlushed(), []);
  await release(SESSION);
  await release();
  assert.deepEqual(areFlushed(), [false]);
  await flush();
  assert.deepEqual(areFlushed(), [true]);
});

test("a session that is released twice is flushed by the announcement after the second release", async () => {
  const { release, flush, areFlushed } = listener();
  await release(SESSION);
  await release(SESSION);
  assert.deepEqual(areFlushed(), [false, false]);
  await flush();
  assert.deepEqual(areFlushed(), [true, true]);
});

test("a process that has left is not waited for", async () => {
  const { state, release, areFlushed } = listener();
  await release(SESSION);
  state.forget("peer");
  await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual(areFlushed(), [true]);
});
