import assert from "node:assert/strict";
import { test } from "node:test";
import { TICK_MS } from "../timer-wheel.ts";
import { MinuteCount } from "./minute-count.ts";

test("what happened is counted for a minute from the first time", () => {
  const count = new MinuteCount();
  const minute = 60_000 / TICK_MS;
  assert.deepEqual(
    [10, 10, 10 + minute, 11 + minute, 12 + minute, 12 + 3 * minute].map((tick) => count.add(tick)),
    [1, 2, 3, 1, 2, 1],
  );
});
