import assert from "node:assert/strict";
import { test } from "node:test";
import { createCourier } from "./courier.ts";
import { createPump } from "./pump.ts";

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

test("a call during a run gets a run that begins after it", async () => {
  const runs: string[] = [];
  let open: () => void = () => undefined;
  const pump = createPump(async () => {
    runs.push("began");
    await new Promise<void>((resolve) => (open = resolve));
  });
  const first = pump();
  const [second, third] = [pump(), pump()];
  open();
  await first;
  await new Promise(setImmediate);
  assert.deepEqual(runs, ["began", "began"]);
  open();
  await Promise.all([second, third]);
  assert.equal(runs.length, 2);
});
