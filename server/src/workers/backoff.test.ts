import assert from "node:assert/strict";
import { test } from "node:test";
import { Backoff } from "./backoff.ts";

test("a process that keeps ending is restarted after 0.5 s, doubling up to 30 s; a run of one minute resets the delay", () => {
  const backoff = new Backoff();
  const delays = Array.from({ length: 9 }, () => backoff.next(100));
  assert.deepEqual(delays, [500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000]);
  assert.deepEqual([backoff.next(60_000), backoff.next(59_999)], [500, 1_000]);
});
