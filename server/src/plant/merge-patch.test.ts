import assert from "node:assert/strict";
import { test } from "node:test";
import { mergePatch, withoutNull } from "./merge-patch.ts";

test("a patch removes fields at every level, and replaces what is no object", () => {
  const from = { hall: 3, place: { row: 1, column: 2 }, tags: ["a"], old: { x: 1 } };
  const to = { place: { column: 4 }, tags: { a: true }, old: 1 };
  assert.deepEqual(mergePatch(from, to), { hall: null, place: { row: null, column: 4 }, tags: { a: true }, old: 1 });
  assert.deepEqual(mergePatch({}, to), to);
});

test("fields that are null count as absent, except within lists", () => {
  assert.deepEqual(withoutNull({ a: null, b: { c: null, d: [null] } }), { b: { d: [null] } });
});
