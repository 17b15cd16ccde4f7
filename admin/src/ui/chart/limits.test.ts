import assert from "node:assert/strict";
import { test } from "node:test";
import { isNear } from "./limits.ts";

test("a limit that would make the line flat is not shown beside it", () => {
  assert.deepEqual(
    [40, 41, 0, -1].map((limit) => isNear(limit, 20, 24)),
    [true, false, false, false],
  );
  assert.deepEqual([isNear(4, 20, 24), isNear(3, 20, 24)], [true, false]);
});

test("every limit is shown where nothing was measured", () => {
  assert.equal(isNear(90, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY), true);
});

test("beside a constant its own size counts", () => {
  assert.deepEqual(
    [isNear(50, 10, 10), isNear(51, 10, 10), isNear(4, 0, 0), isNear(5, 0, 0)],
    [true, false, true, false],
  );
});
