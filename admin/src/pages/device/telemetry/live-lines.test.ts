import assert from "node:assert/strict";
import { test } from "node:test";
import { liveLine } from "./live-lines.ts";

const AT = Date.parse("2026-01-01T00:00:00Z");
const STORED = [{ at: "2026-01-01T00:00:00Z", avg: 2.5 }];

test("the latest value is the device's own, where the last stored point averages several readings", () => {
  assert.deepEqual(liveLine(STORED, [], { at: AT + 900, value: 2.9 }).last, { at: AT + 900, value: 2.9 });
  const arrived = [{ at: AT + 2_000, value: 3 }];
  assert.deepEqual(liveLine(STORED, arrived, { at: AT + 900, value: 2.9 }).last, { at: AT + 2_000, value: 3 });
});

test("a value before the last ten minutes is not the latest of them", () => {
  assert.equal(liveLine([], [], { at: AT, value: 2.9 }).last, undefined);
});
