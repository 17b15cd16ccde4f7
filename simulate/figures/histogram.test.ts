import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { Histogram } from "./histogram.ts";

const durations = fc.array(fc.double({ min: 0.02, max: 600_000, noNaN: true }), { minLength: 1, maxLength: 200 });

test("a percentile is at least the exact one and at most 2 % above it", () => {
  fc.assert(
    fc.property(durations, fc.double({ min: 0.01, max: 1, noNaN: true }), (sample, share) => {
      const histogram = new Histogram();
      for (const each of sample) histogram.add(each);
      const exact = sample.toSorted((a, b) => a - b)[Math.ceil(share * sample.length) - 1]!;
      const found = histogram.percentile(share)!;
      assert.ok(found >= exact * 0.999999 && found <= exact * 1.0201, `${found} for ${exact}`);
    }),
  );
});

test("histograms of several processes add up to that of all durations", () => {
  fc.assert(
    fc.property(durations, durations, (first, second) => {
      const [one, other, all] = [new Histogram(), new Histogram(), new Histogram()];
      for (const each of first) one.add(each);
      for (const each of second) other.add(each);
      for (const each of [...first, ...second]) all.add(each);
      one.merge(other.data());
      assert.deepEqual([one.data(), one.count], [all.data(), all.count]);
    }),
  );
});

test("a histogram without durations has no percentiles", () => {
  assert.equal(new Histogram().percentile(0.5), undefined);
});
