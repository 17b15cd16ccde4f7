import assert from "node:assert/strict";
import { test } from "node:test";
import { RateLimit } from "./rate-limit.ts";

function limit(messagesPerSecond: number, bytesPerSecond: number) {
  const clock = { ms: 0, monotonicMs: () => clock.ms };
  return { clock, rate: new RateLimit({ messagesPerSecond, bytesPerSecond }, clock) };
}

test("a burst of one second's worth passes, then as many as time allows", () => {
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

test("bytes may go into debt by one packet, which is paid before anything else passes", () => {
  const { clock, rate } = limit(Infinity, 1000);
  assert.equal(rate.allowance(), Infinity);
  rate.spend(1, 3000);
  assert.equal(rate.allowance(), 0);
  clock.ms += 1999;
  assert.equal(rate.allowance(), 0);
  clock.ms += 2;
  assert.equal(rate.allowance(), Infinity);
});

test("without limits nothing is counted", () => {
  const { rate } = limit(Infinity, Infinity);
  rate.spend(1e9, 1e12);
  assert.equal(rate.allowance(), Infinity);
});
