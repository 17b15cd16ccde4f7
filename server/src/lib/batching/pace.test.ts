import assert from "node:assert/strict";
import { test } from "node:test";
import { Pace } from "./pace.ts";

const TARGET_MS = 10;

/** Runs full batches of items that cost `msAnItem` each. @returns the durations of the last ones */
function batches(pace: Pace, msAnItem: number, count = 100): number[] {
  const took = Array.from({ length: count }, () => {
    const ms = pace.of(500) * msAnItem;
    pace.record(ms, TARGET_MS);
    return ms;
  });
  return took.slice(-50);
}

test("batches converge to the target time, whatever an item costs", () => {
  for (const msAnItem of [0.03, 0.1, 0.4, 2]) {
    const took = batches(new Pace(), msAnItem);
    assert.ok(Math.max(...took) <= 1.25 * TARGET_MS + msAnItem, `${Math.max(...took)} ms`);
    assert.ok(Math.min(...took) >= TARGET_MS / 2 - msAnItem, `${Math.min(...took)} ms`);
  }
});

test("batches are full while items are cheap, never empty, and grow again when items become cheaper", () => {
  const pace = new Pace();
  assert.equal(pace.of(500), 500);
  batches(pace, 1_000);
  assert.deepEqual([pace.of(500), pace.of(3)], [1, 1]);
  batches(pace, 0.001, 30);
  assert.equal(pace.of(500), 500);
});
