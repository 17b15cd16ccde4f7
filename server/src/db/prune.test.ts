import assert from "node:assert/strict";
import { test } from "node:test";
import { pruneInBatches } from "./prune.ts";

test("a clean-up goes on until a batch finds fewer rows than it may delete", async () => {
  const left = [10, 10, 3];
  const limits: number[] = [];
  const deleted = await pruneInBatches(async (limit) => {
    limits.push(limit);
    return left.shift() ?? 0;
  }, 10);
  assert.deepEqual([deleted, limits], [23, [10, 10, 10]]);
});
