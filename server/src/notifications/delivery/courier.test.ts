import assert from "node:assert/strict";
import { test } from "node:test";
import { createCourier } from "./courier.ts";

test("a courier does all there is, so many at a time, and takes what comes while a slow one is under way", async () => {
  const waiting = Array.from({ length: 10 }, (_, n) => n);
  const done: number[] = [];
  let [atOnce, most] = [0, 0];
  let slow: () => void = () => undefined;
  const courier = createCourier(
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
        void courier.run();
      }
      if (item === 99) slow();
    },
  );
  await courier.run();
  assert.deepEqual(done, [1, 2, 3, 4, 5, 6, 7, 8, 9, 99, 0]);
  assert.equal(most, 3);
  await courier.run();
});
