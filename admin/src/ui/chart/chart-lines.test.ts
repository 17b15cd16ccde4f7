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

test("a limit is a line over the whole range, a range of values two, and text none", () => {
  assert.deepEqual([limitsOf(90), limitsOf([10, 90]), limitsOf("open"), limitsOf(true)], [[90], [10, 90], [], []]);
  const point = { at: AT, min: 91, avg: 91, max: 91 };
  const { times, series } = chartLines({
    points: [point],
    bucketSeconds: 1,
    range: { from: 0, to: at * 2 },
    limits: [90],
  });
  assert.deepEqual(times, [0, at, at * 2]);
  assert.deepEqual(series, [
    { label: "value", values: [null, 91, null] },
    { label: "limit", values: [90, 90, 90] },
  ]);
});

test("where a point stands for several values, the highest and the lowest are lines as well", () => {
  const points = [
    { at: AT, min: 80, avg: 85, max: 95 },
    { at: new Date(at + HOUR).toISOString(), min: 80, avg: 80, max: 80 },
  ];
  const { series } = chartLines({ points, bucketSeconds: 60, range: { from: at, to: at }, limits: [10, 90] });
  assert.deepEqual(
    series.map(({ label }) => label),
    ["average", "highest", "lowest", "lower limit", "upper limit"],
  );
  assert.deepEqual(series[1]!.values, [null, 95, null, 80, null], "an hour without a value is a gap");
});
