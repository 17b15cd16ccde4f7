import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { DAY, HOUR, MINUTE, SECOND } from "../../lib/clock.ts";
import { bucketSecondsOf, rangeOf } from "./series.ts";

const from = new Date("2026-02-03T04:05:06.789Z");
const after = (ms: number) => new Date(from.getTime() + ms);

test("buckets have a human-friendly size, and there are at most as many as requested", () => {
  assert.equal(bucketSecondsOf({ from, to: after(30 * DAY) }), 3 * 3600);
  assert.equal(bucketSecondsOf({ from, to: after(HOUR) }), 15);
  assert.equal(bucketSecondsOf({ from, to: after(HOUR), buckets: 1 }), 3600);
  assert.equal(bucketSecondsOf({ from, to: after(2 * 365 * DAY), buckets: 100 }), 8 * 86_400);
  const range = fc.integer({ min: 1, max: 3 * 365 * DAY });
  fc.assert(
    fc.property(range, fc.integer({ min: 1, max: 2000 }), (ms, buckets) => {
      const seconds = bucketSecondsOf({ from, to: after(ms), buckets });
      assert.ok(ms / SECOND / seconds <= buckets);
      assert.ok(seconds < 60 || seconds % 60 === 0);
    }),
  );
});

test("a bucket size that needs a scan of readings and an empty range are refused", () => {
  const refused = (query: object, why: RegExp) =>
    assert.throws(() => bucketSecondsOf({ from, to: after(HOUR), ...query }), why);
  for (const bucketSeconds of [0, -60, 1.5, Number.NaN]) refused({ bucketSeconds }, /whole seconds/);
  refused({ bucketSeconds: 1 }, /at most 2000/);
  for (const bucketSeconds of [61, 3599, 3660, 86_399]) refused({ bucketSeconds }, /whole minutes/);
  for (const buckets of [0, 2001, 1.5]) refused({ buckets }, /1 to 2000/);
  refused({ to: from }, /must end after/);
  refused({ to: new Date(Number.NaN) }, /must end after/);
});

test("whole hours or minutes are read from roll-ups, and both ends of the range from readings", () => {
  const whole = (seconds: number, ms: number) => {
    const { rolledUp } = rangeOf({ from, to: after(ms) }, seconds);
    return rolledUp && [rolledUp.unit, rolledUp.from.toISOString(), rolledUp.to.toISOString()];
  };
  assert.deepEqual(whole(7200, DAY), ["hour", "2026-02-03T05:00:00.000Z", "2026-02-04T04:00:00.000Z"]);
  assert.deepEqual(whole(300, HOUR), ["minute", "2026-02-03T04:06:00.000Z", "2026-02-03T05:05:00.000Z"]);
  assert.equal(whole(30, HOUR), undefined);
  assert.equal(whole(3600, 55 * MINUTE), undefined);
});
