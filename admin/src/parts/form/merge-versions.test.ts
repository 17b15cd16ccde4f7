import assert from "node:assert/strict";
import { test } from "node:test";
import { mergeVersions } from "./merge-versions.ts";

test("what was typed stays, what was not is theirs, and what both have changed differently is named", () => {
  const before = { name: "a", type: "x", description: "", tag: "1" };
  const mine = { name: "b", type: "x", description: "mine", tag: "2" };
  const theirs = { name: "c", type: "y", description: "", tag: "2" };
  assert.deepEqual(mergeVersions(before, mine, theirs), {
    values: { name: "b", type: "y", description: "mine", tag: "2" },
    both: ["name"],
  });
});
