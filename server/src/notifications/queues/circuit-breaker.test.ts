import assert from "node:assert/strict";
import { test } from "node:test";
import { MINUTE, SECOND } from "../../lib/clock.ts";
import { createCircuitBreaker } from "./circuit-breaker.ts";

const at = (queue: string) => ({ tenantId: "t", queue });

test("a queue is paused after three failures in a row, and each further one doubles the pause, up to five minutes", () => {
  let now = 0;
  const breaker = createCircuitBreaker(3, { monotonicMs: () => now });
  const isPaused = () => breaker.failing().some(({ paused }) => paused);
  const pauses: number[] = [];
  for (let failed = 1; failed <= 10; failed++) {
    breaker.record(at("q"), false);
    const since = now;
    while (isPaused()) now += SECOND;
    pauses.push((now - since) / SECOND);
  }
  assert.deepEqual(pauses, [0, 0, 10, 20, 40, 80, 160, 300, 300, 300]);
  assert.equal(breaker.open(), 1);
  now += 5 * MINUTE;
  assert.equal(breaker.open(), 0, "another process may have delivered the backlog");
  now -= 1;
  assert.equal(breaker.open(), 1);
  breaker.record(at("q"), true);
  assert.deepEqual([breaker.open(), breaker.failing()], [0, []]);
  breaker.record(at("q"), false);
  assert.deepEqual(breaker.failing(), [{ ...at("q"), paused: false }]);
});

test("a breaker remembers the last ten thousand queues to fail", () => {
  const breaker = createCircuitBreaker(1, { monotonicMs: () => 0 });
  for (let n = 0; n <= 10_000; n++) breaker.record(at(`q${n}`), false);
  const queues = breaker.failing().map(({ queue }) => queue);
  assert.deepEqual([queues.length, queues[0], queues.at(-1)], [10_000, "q1", "q10000"]);
});
