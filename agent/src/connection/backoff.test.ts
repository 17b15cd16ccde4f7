import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { delayMs, RECONNECT, REFUSED, RENEWAL } from "./backoff.ts";

const chance = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });

test("no delay exceeds the cap or falls below the floor, at any attempt", () => {
  fc.assert(
    fc.property(fc.nat(10_000), chance, fc.constantFrom(RECONNECT, REFUSED, RENEWAL), (attempt, random, backoff) => {
      const ms = delayMs(backoff, attempt, random);
      const ceiling = Math.min(backoff.capMs, backoff.baseMs * 2 ** Math.min(attempt, 30));
      assert.ok(ms <= ceiling && ms >= Math.floor(ceiling * backoff.floor));
    }),
  );
});

test("after a lost connection the first delay is at most a second and the longest half a minute", () => {
  assert.equal(delayMs(RECONNECT, 0, 0.999), 999);
  assert.equal(delayMs(RECONNECT, 50, 0.999999), 30_000);
  assert.equal(delayMs(RECONNECT, 50, 0), 0);
});

test("after repeated refusals the delay is at least a minute", () => {
  assert.equal(delayMs(REFUSED, 0, 0), 60_000);
  assert.equal(delayMs(REFUSED, 20, 0), 450_000);
});
