import assert from "node:assert/strict";
import { test } from "node:test";
import { applyPatch } from "./patch.ts";
import { GROUP_ATTRIBUTES } from "./schemas.ts";

const MOST_VALUES = 10_000;
const members = (count: number, from = 0) => Array.from({ length: count }, (_, n) => ({ value: `user-${from + n}` }));
const patched = (present: number, Operations: object[]) =>
  applyPatch(GROUP_ATTRIBUTES, { displayName: "Night", members: members(present) }, { Operations }, MOST_VALUES)
    .members as object[];

test("a large group is changed by one operation with many values", () => {
  const add = { op: "add", path: "members", value: members(1_000, 9_000) };
  assert.equal(patched(9_000, [add]).length, 10_000);
  assert.equal(patched(9_000, [{ op: "remove", path: "members", value: members(9_000) }, add]).length, 1_000);
});

test("many operations on a large group are refused before they occupy the process", () => {
  const one = (op: string) => members(1_000, 8_000).map((value) => ({ op, path: "members", value: [value] }));
  for (const op of ["add", "remove"])
    assert.throws(() => patched(8_000, one(op)), { name: "ScimRefusal", reason: "tooMany" }, op);
  assert.equal(patched(100, one("add").slice(0, 300)).length, 400);
});
