import assert from "node:assert/strict";
import { test } from "node:test";
import { addressOf, atLeast, shiftedBy, spanOf, zoomedBy } from "./time-range.ts";

const NOW = Date.parse("2026-11-20T12:00:00.000Z");
const HOUR = 3_600_000;
const ago = (from: number, to: number) => ({ from: NOW - from * HOUR, to: NOW - to * HOUR });

test("the address holds a range, which is the same in every time zone", () => {
  const address = addressOf(ago(2, 1));
  assert.deepEqual(address, { from: "2026-11-20T10:00:00.000Z", to: "2026-11-20T11:00:00.000Z" });
  assert.deepEqual(spanOf(address), ago(2, 1));
  const { from, to } = address;
  for (const wrong of [{}, { from }, { from: to, to: from }, { from, to: from }, { from: "soon", to }])
    assert.equal(spanOf(wrong), undefined);
  assert.equal(spanOf({ from: "0001-01-01", to }), undefined, "longer than anything is stored");
});

test("a range is zoomed around its middle, and ends now at the latest", () => {
  assert.deepEqual(zoomedBy(ago(8, 4), 0.5, NOW), ago(7, 5));
  assert.deepEqual(zoomedBy(ago(8, 4), 2, NOW), ago(10, 2));
  assert.deepEqual(zoomedBy(ago(4, 0), 2, NOW), ago(8, 0));
  const least = zoomedBy(ago(1, 0.999), 0.001, NOW);
  assert.equal(least.to - least.from, 10_000);
});

test("a range is shifted by half its length, and ends now at the latest", () => {
  assert.deepEqual(shiftedBy(ago(8, 4), -1, NOW), ago(10, 6));
  assert.deepEqual(shiftedBy(ago(8, 4), 1, NOW), ago(6, 2));
  assert.deepEqual(shiftedBy(ago(4, 0), 1, NOW), ago(4, 0));
});

test("a drag over less than a chart can show is the least that it can", () => {
  assert.deepEqual(atLeast(ago(2, 1), NOW), ago(2, 1));
  const { from, to } = atLeast({ from: NOW - 60_001, to: NOW - 60_000 }, NOW);
  assert.equal(to - from, 10_000);
});
