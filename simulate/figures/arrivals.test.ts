import assert from "node:assert/strict";
import { test } from "node:test";
import { Arrivals } from "./arrivals.ts";

const NONE: ReadonlySet<number> = new Set();

function after(numbers: readonly number[]) {
  const arrivals = new Arrivals();
  return { arrivals, found: numbers.map((number) => arrivals.take(number)) };
}

test("messages in their order are new, and none is lost", () => {
  const { arrivals, found } = after([0, 1, 2]);
  assert.deepEqual(found, ["new", "new", "new"]);
  assert.deepEqual(arrivals.compare(3, NONE), { lost: 0, missedWhileAway: 0 });
});

test("a message after a later one is late and not lost", () => {
  const { arrivals, found } = after([0, 2, 1]);
  assert.deepEqual(found, ["new", "new", "late"]);
  assert.deepEqual(arrivals.compare(3, NONE), { lost: 0, missedWhileAway: 0 });
});

test("a message that arrives twice is counted again", () => {
  assert.deepEqual(after([0, 1, 0, 1]).found, ["new", "new", "again", "again"]);
});

test("gaps and missing last messages are lost, refused ones are not", () => {
  const { arrivals } = after([0, 1, 4]);
  assert.deepEqual(arrivals.compare(8, new Set([3, 6])), { lost: 3, missedWhileAway: 0 });
});

test("what is published while the subscriber is away is counted apart", () => {
  const { arrivals } = after([0, 1]);
  arrivals.away();
  assert.deepEqual(arrivals.compare(4, new Set([2])), { lost: 0, missedWhileAway: 1 });
  arrivals.take(5);
  arrivals.take(7);
  assert.deepEqual(arrivals.compare(8, NONE), { lost: 1, missedWhileAway: 3 });
});
