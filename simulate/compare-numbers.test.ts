import assert from "node:assert/strict";
import { test } from "node:test";
import { compareNumbers } from "./compare-numbers.ts";

const device = { published: 5, refused: [], unacknowledged: [], repeated: [] };

test("messages that are stored once and in order are as promised", () => {
  assert.deepEqual(compareNumbers([0, 1, 2, 3, 4], device), { messages: 5, lost: [], twice: [], outOfOrder: [] });
});

test("what is missing, repeated or out of order is counted", () => {
  assert.deepEqual(compareNumbers([0, 2, 1, 1, 4], device), { messages: 5, lost: [3], twice: [1], outOfOrder: [1] });
});

test("what was not acknowledged may be missing, and what was sent again may be stored again", () => {
  const sent = { ...device, refused: [1], unacknowledged: [4], repeated: [2, 3] };
  assert.deepEqual(compareNumbers([0, 2, 3, 2, 3], sent), { messages: 3, lost: [], twice: [], outOfOrder: [] });
});

test("what was compared before is not compared again", () => {
  assert.deepEqual(compareNumbers([1, 4, 3], device, 3), { messages: 2, lost: [], twice: [], outOfOrder: [3] });
});
