import assert from "node:assert/strict";
import { test } from "node:test";
import { violation } from "./violation.ts";

test("a text is checked for its length, and for being there only where the service requires it", () => {
  const name = { required: true, minLength: 1, maxLength: 5 };
  assert.equal(violation(name, "  "), "Enter a value.");
  assert.equal(violation(name, "pumps1"), "Enter at most 5 characters.");
  assert.equal(violation(name, "pump"), null);
  assert.equal(violation({ minLength: 12, required: true }, "short"), "Enter at least 12 characters.");
  assert.equal(violation({ maxLength: 5 }, ""), null);
});

test("a number is checked for its range", () => {
  const uses = { required: true, minimum: 1, maximum: 100 };
  assert.deepEqual(
    [0, 101, 1, "", "x"].map((value) => violation(uses, value)),
    ["Enter 1 or more.", "Enter 100 or less.", null, "Enter a number.", "Enter a number."],
  );
  assert.equal(violation({ minimum: 5 }, ""), null);
});
