import assert from "node:assert/strict";
import { test } from "node:test";
import { inBatches } from "./in-batches.ts";

function recorded(most: number) {
  const asked: (readonly string[])[] = [];
  const find = inBatches(most, async (keys) => {
    asked.push(keys);
    return new Map(keys.filter((key) => key !== "nobody").map((key) => [key, key.toUpperCase()]));
  });
  return { asked, find };
}

test("what is asked for at once is one look-up, and each asker gets its own answer", async () => {
  const { asked, find } = recorded(10);
  assert.deepEqual(await Promise.all(["a", "b", "a", "nobody"].map(find)), ["A", "B", "A", undefined]);
  assert.deepEqual(asked, [["a", "b", "nobody"]]);
  assert.equal(await find("c"), "C");
  assert.deepEqual(asked[1], ["c"]);
});

test("more than fit into one look-up are several", async () => {
  const { asked, find } = recorded(2);
  assert.deepEqual(await Promise.all(["a", "b", "c"].map(find)), ["A", "B", "C"]);
  assert.deepEqual(asked, [["a", "b"], ["c"]]);
});

test("a look-up that fails fails for those who asked, and not for the next", async () => {
  let fails = true;
  const find = inBatches(5, async (keys) => {
    if (fails) throw new Error("no answer");
    return new Map(keys.map((key) => [key, key]));
  });
  await assert.rejects(find("a"), /no answer/);
  fails = false;
  assert.equal(await find("a"), "a");
});
