import assert from "node:assert/strict";
import { test } from "node:test";
import { createBatcher } from "./batcher.ts";

/** A batcher whose batches end when the test says so. */
function controlled(batchSize?: (waiting: readonly number[]) => number) {
  const batches: { items: number[]; end: () => void }[] = [];
  const batcher = createBatcher<number>({
    ...(batchSize ? { batchSize } : {}),
    process: (items) => new Promise((resolve) => batches.push({ items, end: resolve })),
  });
  return { batcher, batches, items: () => batches.map(({ items }) => items) };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

test("items of one turn of the event loop make one batch", async () => {
  const { batcher, items } = controlled();
  batcher.add(1);
  await Promise.resolve();
  batcher.add(2);
  assert.deepEqual(items(), []);
  await turn();
  assert.deepEqual(items(), [[1, 2]]);
});

test("items added while a batch is processed make the next one, in order", async () => {
  const { batcher, batches, items } = controlled();
  batcher.add(1);
  await turn();
  batcher.add(2);
  batcher.add(3);
  await turn();
  assert.deepEqual(items(), [[1]]);
  batches[0]!.end();
  await turn();
  await turn();
  assert.deepEqual(items(), [[1], [2, 3]]);
});

test("a batch is as long as its size function says, and drain waits for the last one", async () => {
  const { batcher, batches, items } = controlled(() => 2);
  for (const item of [1, 2, 3]) batcher.add(item);
  let drained = false;
  const drain = batcher.drain().then(() => {
    drained = true;
  });
  for (let at = 0; at < 2; at++) {
    await turn();
    await turn();
    assert.equal(drained, false);
    batches[at]!.end();
  }
  await drain;
  assert.deepEqual(items(), [[1, 2], [3]]);
  await batcher.drain();
});
