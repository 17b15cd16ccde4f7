import assert from "node:assert/strict";
import { test } from "node:test";
import { TICK_MS } from "../../timer-wheel.ts";
import { MinuteCount } from "./minute-count.ts";

test("occurrences are counted for one minute from the first", () => {
  const count = new MinuteCount();
  const minute = 60_000 / TICK_MS;
  assert.deepEqual(
    [10, 10, 10 + minute, 11 + minute, 12 + minute, 12 + 3 * minute].map((tick) => count.add(tick)),
    [1, 2, 3, 1, 2, 1],
  );
});
