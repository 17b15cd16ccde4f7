import assert from "node:assert/strict";
import { test } from "node:test";
import { RateLimit } from "./rate-limit.ts";

function limit(messagesPerSecond: number, bytesPerSecond: number) {
  const clock = { ms: 0, monotonicMs: () => clock.ms };
  return {
    clock,
    rate: new RateLimit({ mqttMessagesPerSecond: messagesPerSecond, mqttBytesPerSecond: bytesPerSecond }, clock),
  };
}

test("a burst worth one second passes, then the sustained rate applies", () => {
  const { clock, rate } = limit(100, Infinity);
  assert.equal(rate.allowance(), 100);
  rate.spend(100, 1);
  assert.equal(rate.allowance(), 0);
  assert.equal(rate.waitMs(), 10);
  clock.ms += 10;
  assert.equal(rate.allowance(), 1);
  clock.ms += 60_000;
  assert.equal(rate.allowance(), 100);
});

test("one packet may exceed the byte rate, and nothing else passes until its debt is paid", () => {
  const { clock, rate } = limit(Infinity, 1000);
  assert.equal(rate.allowance(), Infinity);
  rate.spend(1, 3000);
  assert.equal(rate.allowance(), 0);
  clock.ms += 1999;
  assert.equal(rate.allowance(), 0);
  clock.ms += 2;
  assert.equal(rate.allowance(), Infinity);
});

test("an infinite rate is no limit", () => {
  const { rate } = limit(Infinity, Infinity);
  rate.spend(1e9, 1e12);
  assert.equal(rate.allowance(), Infinity);
});

test("a timer that fires late does not lower the rate", () => {
  const { clock, rate } = limit(100, Infinity);
  rate.spend(rate.allowance(), 1);
  let passed = 0;
  // Each wait is for one message, 10 ms, and each timer fires 15 ms late, so 40 waits take one second.
  for (let wait = 0; wait < 40; wait++) {
    const ms = rate.waitMs();
    clock.ms += 25;
    rate.waited(ms);
    const allowed = rate.allowance();
    rate.spend(allowed, 1);
    passed += allowed;
  }
  assert.equal(passed, 100);
});

test("a wait is credited when the clock stands still, and never twice", () => {
  const { clock, rate } = limit(100, Infinity);
  rate.spend(rate.allowance(), 1);
  rate.waited(10);
  assert.equal(rate.allowance(), 1);
  clock.ms += 10;
  rate.waited(10);
  assert.equal(rate.allowance(), 2);
});
