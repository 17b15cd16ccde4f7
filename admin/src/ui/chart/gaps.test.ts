import assert from "node:assert/strict";
import { test } from "node:test";
import { lonely, withGaps } from "./gaps.ts";

test("a line is interrupted where nothing was measured for long, and nowhere else", () => {
  const points = [0, 1000, 2000, 9000].map((at) => ({ at, value: at / 1000 }));
  assert.deepEqual(withGaps(points, 3000), { times: [0, 1000, 2000, 2001, 9000], values: [0, 1, 2, null, 9] });
  assert.deepEqual(withGaps([], 3000), { times: [], values: [] });
});

test("a value without a neighbour is found, where a line would not show it", () => {
  assert.deepEqual(lonely([1, null, 2, 3, null, null, 4]), [0, 6]);
  assert.deepEqual([lonely([5]), lonely([]), lonely([null, undefined])], [[0], [], []]);
});
