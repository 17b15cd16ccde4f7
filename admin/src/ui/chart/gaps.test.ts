import assert from "node:assert/strict";
import { test } from "node:test";
import { gapsOf, lonely, mostDistance, withGaps } from "./gaps.ts";

test("a line is interrupted where nothing was measured for long, and nowhere else", () => {
  const points = [0, 1000, 2000, 9000].map((at) => ({ at, value: at / 1000 }));
  assert.deepEqual(withGaps(points, 3000), { times: [0, 1000, 2000, 2001, 9000], values: [0, 1, 2, null, 9] });
  assert.deepEqual(withGaps([], 3000), { times: [], values: [] });
});

test("a value without a neighbour is found, where a line would not show it", () => {
  assert.deepEqual(lonely([1, null, 2, 3, null, null, 4]), [0, 6]);
  assert.deepEqual([lonely([5]), lonely([]), lonely([null, undefined])], [[0], [], []]);
});

const bucketsAt = (count: number, ...times: number[]) => times.map((at) => ({ at, count }));

test("an empty bucket among full ones is a gap, also at both ends of the range, but not what is still to come", () => {
  const full = bucketsAt(60, 20, 30, 50, 60);
  assert.deepEqual(gapsOf(full, 10, { from: 0, to: 100 }, 95), [
    { from: 0, to: 20 },
    { from: 40, to: 50 },
    { from: 70, to: 95 },
  ]);
  assert.deepEqual(gapsOf(full, 10, { from: 15, to: 100 }, 75), [{ from: 40, to: 50 }]);
});

test("a device that publishes less often than buckets begin has no gap between two of its readings", () => {
  const sparse = bucketsAt(1, 0, 40, 70, 120, 160);
  assert.equal(mostDistance(sparse, 10), 120);
  assert.deepEqual(gapsOf(sparse, 10, { from: 0, to: 200 }, 200), []);
  const stopped = [...sparse, ...bucketsAt(1, 400)];
  assert.deepEqual(gapsOf(stopped, 10, { from: 0, to: 400 }, 500), [{ from: 170, to: 400 }]);
});

test("a range without a reading is one gap, and one that has not begun none", () => {
  assert.deepEqual(gapsOf([], 10, { from: 0, to: 100 }, 80), [{ from: 0, to: 80 }]);
  assert.deepEqual(gapsOf([], 10, { from: 90, to: 100 }, 80), []);
  assert.deepEqual(gapsOf(bucketsAt(1, 50), 10, { from: 50, to: 60 }, 80), []);
});
