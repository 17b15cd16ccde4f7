import assert from "node:assert/strict";
import { test } from "node:test";
import { periodOf } from "./period.ts";

test("the last day of a period is in it", () => {
  const { from, to } = periodOf({ from: "2026-11-20", until: "2026-11-20" });
  assert.equal(Date.parse(to!) - Date.parse(from!), 86_400_000);
  assert.deepEqual(periodOf({}), { from: undefined, to: undefined });
});
