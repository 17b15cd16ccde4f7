import assert from "node:assert/strict";
import { test } from "node:test";
import { align } from "./align.ts";

const line = (times: number[], values: (number | null)[]) => ({ times, series: [{ label: "average", values }] });

test("lines share one axis; a time of another device interrupts none, a gap of its own does", () => {
  const aligned = align([
    { label: "one", lines: line([1, 2, 4], [10, null, 30]) },
    { label: "two", lines: line([1, 3], [5, 6]) },
  ]);
  assert.deepEqual(aligned.times, [1, 2, 3, 4]);
  assert.deepEqual(aligned.series, [
    { label: "one", values: [10, null, null, 30] },
    { label: "two", values: [5, undefined, 6, undefined] },
  ]);
});

test("a device without a measurement has a line without values", () => {
  assert.deepEqual(align([{ label: "one", lines: { times: [], series: [] } }]), {
    times: [],
    series: [{ label: "one", values: [] }],
  });
});

test("a line begins with its first value", () => {
  const { series } = align([
    { label: "one", lines: line([1, 3], [10, 20]) },
    { label: "two", lines: line([2], [5]) },
  ]);
  assert.deepEqual(
    series.map(({ values }) => values),
    [
      [10, undefined, 20],
      [null, 5, undefined],
    ],
  );
});
