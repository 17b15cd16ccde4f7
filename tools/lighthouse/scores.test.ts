import assert from "node:assert/strict";
import { test } from "node:test";
import { below, measuredIn, median } from "./scores.ts";

const report = (performance: number, paint: number) => ({
  categories: { performance: { score: performance }, accessibility: { score: 1 } },
  audits: {
    "largest-contentful-paint": { numericValue: paint },
    "cumulative-layout-shift": { numericValue: 0.01 },
  },
});

test("a screen has the median of each figure", () => {
  const result = median([report(0.9, 1_000), report(0.97, 3_000), report(0.96, 1_500)].map(measuredIn));
  assert.deepEqual(result, { performance: 96, accessibility: 100, contentfulPaintMs: 1_500, layoutShift: 0.01 });
  assert.deepEqual(below(result), []);
});

test("each missed goal is named", () => {
  assert.deepEqual(below(measuredIn(report(0.94, 1_801))), [
    "performance: at least 95",
    "largest contentful paint: at most 1800 ms",
  ]);
});

test("a page that Lighthouse could not load is an error", () => {
  assert.throws(() => measuredIn({ ...report(1, 1), runtimeError: { message: "NO_FCP" } }), /NO_FCP/);
});
