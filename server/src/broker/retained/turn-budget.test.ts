import assert from "node:assert/strict";
import { test } from "node:test";
import { TurnBudget } from "./turn-budget.ts";

test("work beyond a turn's budget waits for the next turn", async () => {
  const budget = new TurnBudget(10);
  const done: string[] = [];
  const work = (name: string, cost: number) => budget.take(cost).then(() => void done.push(name));
  const all = [work("large", 25), work("next", 10), work("after it", 1)];
  await Promise.resolve();
  await Promise.resolve();
  assert.deepEqual(done, ["large"]);
  await all[1];
  assert.deepEqual(done, ["large", "next"]);
  await Promise.all(all);
  assert.deepEqual(done, ["large", "next", "after it"]);
});
