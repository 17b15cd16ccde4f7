import assert from "node:assert/strict";
import { test } from "node:test";
import { createWorkerPool } from "./worker-pool.ts";

test("a worker pool processes every item, a few at a time, and claims more while a slow one is in flight", async () => {
  const waiting = Array.from({ length: 10 }, (_, n) => n);
  const done: number[] = [];
  let [atOnce, most] = [0, 0];
  let slow: () => void = () => undefined;
  const pool = createWorkerPool(
    3,
    async (room) => waiting.splice(0, room),
    async (item) => {
      most = Math.max(most, ++atOnce);
      if (item === 0) await new Promise<void>((resolve) => (slow = resolve));
      else await null;
      atOnce--;
      done.push(item);
      if (done.length === 9) {
        waiting.push(99);
        void pool.run();
      }
      if (item === 99) slow();
    },
  );
  await pool.run();
  assert.deepEqual(done, [1, 2, 3, 4, 5, 6, 7, 8, 9, 99, 0]);
  assert.equal(most, 3);
  await pool.run();
});

test("a worker pool claims again when items finish that had blocked others", async () => {
  let [left, inFlight] = [5, 0];
  const claim = async () => {
    // Models a queue with two slots: both may be free again by the time of the next claim.
    const items = Array.from({ length: Math.min(2 - inFlight, left) }, () => null);
    left -= items.length;
    inFlight += items.length;
    return items;
  };
  const pool = createWorkerPool(16, claim, async () => {
    await null;
    inFlight--;
  });
  await pool.run();
  assert.equal(left, 0);
});
