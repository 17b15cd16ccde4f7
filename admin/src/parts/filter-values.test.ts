import assert from "node:assert/strict";
import { test } from "node:test";
import { instantOf, negatable, periodOf } from "./filter-values.ts";

test("a time of the address is one of the user's own zone, to the minute", () => {
  assert.equal(instantOf("2026-11-22T14:30"), new Date(2026, 10, 22, 14, 30).toISOString());
  assert.deepEqual(periodOf({ from: "2026-03-29T00:00", to: "" }), {
    from: new Date(2026, 2, 29).toISOString(),
    to: undefined,
  });
});

test("what is no time bounds nothing", () => {
  for (const local of [undefined, "", "yesterday", "2026-13-45T00:00"]) assert.equal(instantOf(local), undefined);
});

test("a value that begins with ! is asked for as what must not be", () => {
  const values = { state: "!revoked", kind: "platform", actor: "", act: "!" };
  assert.deepEqual(JSON.parse(JSON.stringify(negatable(values, "state", "kind", "actor", "act"))), {
    notState: "revoked",
    kind: "platform",
  });
});
