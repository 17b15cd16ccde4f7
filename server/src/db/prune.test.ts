import assert from "node:assert/strict";
import { test } from "node:test";
import { pruneAlong, pruneInBatches } from "./prune.ts";

test("a clean-up continues until a batch finds fewer rows than it may delete", async () => {
  const left = [10, 10, 3];
  const limits: number[] = [];
  const deleted = await pruneInBatches(
    async (limit) => {
      limits.push(limit);
      return left.shift() ?? 0;
    },
    { limit: 10 },
  );
  assert.deepEqual([deleted, limits], [23, [10, 10, 10]]);
});

test("a clean-up along an index starts each batch at the last row of the previous one", async () => {
  const rows = [1, 2, 3, 4, 5, 6, 7];
  const starts: number[] = [];
  await pruneAlong(
    0,
    async (from, limit) => {
      starts.push(from);
      const batch = rows.filter((row) => row > from).slice(0, limit);
      return { rows: batch.length, last: batch.at(-1) ?? null };
    },
    { limit: 3 },
  );
  assert.deepEqual(starts, [0, 3, 6]);
});

test("a stopped clean-up ends after the current batch", async () => {
  const stop = new AbortController();
  const deleted = await pruneInBatches(
    async (limit) => {
      stop.abort();
      return limit;
    },
    { limit: 10, stopped: stop.signal },
  );
  assert.equal(deleted, 10);
});
