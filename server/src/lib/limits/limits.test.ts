import assert from "node:assert/strict";
import { test } from "node:test";
import { DEFAULT_LIMITS, LIMITS, type LimitName, limitVariable } from "./limits.ts";

test("every limit that can be set has a variable of its own", () => {
  const names = Object.keys(LIMITS) as LimitName[];
  const variables = names.map(limitVariable).filter((name) => name !== undefined);
  assert.equal(new Set(variables).size, variables.length);
  assert.equal(limitVariable("readingsPerMessage"), "MUSTER_LIMIT_READINGS_PER_MESSAGE");
});

test("every default is a whole number above zero, with a stated unit", () => {
  for (const [name, { of, reached }] of Object.entries(LIMITS)) {
    const value = DEFAULT_LIMITS[name as LimitName];
    assert.ok(Number.isInteger(value) && value > 0, name);
    assert.ok(of.length > 0 && reached.length > 0, name);
  }
});
