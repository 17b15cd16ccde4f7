import assert from "node:assert/strict";
import { test } from "node:test";
import { agree, offsetAt } from "./clock-offset.ts";

const AT = 1_000_000;

test("an answer that took a minute does not move a clock known to the millisecond", () => {
  const known = { least: 499, most: 501, atMs: AT };
  const bounds = agree(known, { least: 500 - 59_000, most: 500 + 1_000, atMs: AT + 60_000 });
  assert.equal(offsetAt(bounds, 500), 500);
  assert.ok(bounds.most - bounds.least <= 2 + 2 * 60);
});

test("a quick answer narrows the bounds of a slow one, and corrects the clock by no more than necessary", () => {
  const bounds = agree({ least: 0, most: 400, atMs: AT }, { least: 20, most: 24, atMs: AT });
  assert.deepEqual(bounds, { least: 20, most: 24, atMs: AT });
  assert.equal(offsetAt(bounds, 200), 24);
});

test("a clock that was set is followed", () => {
  const bounds = agree({ least: 0, most: 1, atMs: AT }, { least: 7_200_000, most: 7_200_100, atMs: AT + 10_000 });
  assert.equal(offsetAt(bounds, 0), 7_200_000);
});
