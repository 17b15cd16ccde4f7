import assert from "node:assert/strict";
import { test } from "node:test";
import { LEAST_PART, Pace } from "./pace.ts";

/** Batches of items that cost `msAnItem` each, `count` of them. @returns how long the last ones took */
function batches(pace: Pace, msAnItem: number, count = 400): number[] {
  const took = Array.from({ length: count }, () => {
    const ms = pace.of(500) * msAnItem;
    pace.record(ms, 10);
    return ms;
  });
  return took.slice(-100);
}

test("batches come to take about the target time, whatever an item costs", () => {
  for (const msAnItem of [0.03, 0.1, 0.4]) {
    const took = batches(new Pace(), msAnItem);
    assert.ok(Math.max(...took) <= 10 + 500 * LEAST_PART * msAnItem + msAnItem, `${Math.max(...took)} ms`);
    assert.ok(Math.min(...took) >= 5 - msAnItem, `${Math.min(...took)} ms`);
  }
});

test("batches are full where items are cheap, never empty, and grow again when items become cheaper", () => {
  const pace = new Pace();
  assert.deepEqual([pace.part, pace.of(500)], [1, 500]);
  batches(pace, 1_000);
  assert.deepEqual([pace.part, pace.of(500), pace.of(3)], [LEAST_PART, 15, 1]);
  batches(pace, 0.001, 40);
  assert.equal(pace.of(500), 500);
});
