import assert from "node:assert/strict";
import { test } from "node:test";
import { createWorkerPool } from "./worker-pool.ts";

test("a worker pool processes every item, a few at a time, and claims new ones while a slow one is in flight", async () => {
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
