import assert from "node:assert/strict";
import { test } from "node:test";
import { DAY, HOUR, MINUTE } from "../../lib/clock.ts";
import { coverOf } from "../messages/number-spans-store.ts";
import { spansOf } from "./series-spans.ts";

const start = Date.parse("2026-02-03T00:00:00Z");
const at = (ms: number) => new Date(start + ms);
const span = (from: number, to: number) => ({ from: at(from), to: at(to) });

test("readings are used for both ends of the range and for dirty hours within the rolled-up part", () => {
  const range = { ...span(-20 * MINUTE, 3 * HOUR + MINUTE), seconds: 120 };
  const rolledUp = { ...span(-20 * MINUTE, 3 * HOUR), unit: "minute" as const };
  const dirty = [at(2 * HOUR), at(-HOUR)];
  assert.deepEqual(spansOf({ ...range, rolledUp }, dirty), [
    span(-20 * MINUTE, 0),
    span(2 * HOUR, 3 * HOUR),
    span(3 * HOUR, 3 * HOUR + MINUTE),
  ]);
  assert.deepEqual(spansOf({ ...range, rolledUp: undefined }, []), [span(-20 * MINUTE, 3 * HOUR + MINUTE)]);
});

test("gaps of days are left out of the cover, unless there are many", () => {
  const micros = (from: number, to: number) => ({ from: (start + from) * 1_000, to: (start + to) * 1_000 });
  const year = [micros(0, HOUR), micros(2 * HOUR, 3 * HOUR), micros(300 * DAY, 300 * DAY + HOUR)];
  assert.deepEqual(coverOf(year), [micros(0, 3 * HOUR), year[2]]);
  assert.deepEqual(coverOf([]), []);
  const scattered = Array.from({ length: 9 }, (_, index) => micros(index * 2 * DAY, index * 2 * DAY + HOUR));
  assert.deepEqual(coverOf(scattered), [micros(0, 16 * DAY + HOUR)]);
});
