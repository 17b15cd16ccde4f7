import assert from "node:assert/strict";
import { test } from "node:test";
import { chartLines, limitsOf, rangeOf } from "./chart-lines.ts";

const AT = "2026-11-20T10:00:00.000Z";
const at = Date.parse(AT);
const HOUR = 3_600_000;
const MARGIN = 300_000;

test("the chart of an anomaly ends an hour after it was last observed, or now", () => {
  const anomaly = { openedAt: AT, lastObservedAt: new Date(at + HOUR).toISOString() };
  assert.deepEqual(rangeOf(anomaly, at + 9 * HOUR), { from: at - HOUR, to: at + 2 * HOUR });
  assert.deepEqual(rangeOf(anomaly, at + HOUR), { from: at - HOUR, to: at + HOUR + MARGIN });
  assert.deepEqual(
    rangeOf(anomaly, at - HOUR),
    { from: at - HOUR, to: at + MARGIN },
    "the clock of the browser is behind",
  );
});

test("a limit is a number, a range of values two, and text none", () => {
  assert.deepEqual([limitsOf(90), limitsOf([10, 90]), limitsOf("open"), limitsOf(true)], [[90], [10, 90], [], []]);
});

test("a single value a bucket is one line", () => {
  const points = [{ at: AT, min: 91, avg: 91, max: 91, count: 1 }];
  const range = { from: at, to: at + 1000 };
  const { times, series, gaps } = chartLines({ points, bucketSeconds: 1, range, now: at + HOUR });
  assert.deepEqual([times, series, gaps], [[at], [{ label: "value", values: [91] }], []]);
});

test("where a point stands for several values, the highest and the lowest are lines as well", () => {
  const points = [
    { at: AT, min: 80, avg: 85, max: 95, count: 60 },
    { at: new Date(at + HOUR).toISOString(), min: 80, avg: 80, max: 80, count: 60 },
  ];
  const range = { from: at, to: at + HOUR + 60_000 };
  const { series, gaps } = chartLines({ points, bucketSeconds: 60, range, now: at + 2 * HOUR });
  assert.deepEqual(
    series.map(({ label }) => label),
    ["average", "highest", "lowest"],
  );
  assert.deepEqual(series[1]!.values, [95, null, 80], "an hour without a value is a gap");
  assert.deepEqual(gaps, [{ from: at + 60_000, to: at + HOUR }]);
});
