import assert from "node:assert/strict";
import { test } from "node:test";
import type { NewRule } from "../rule.ts";
import { messageOf } from "../rule-text.ts";
import { identify, type RuleChange } from "./rule-identity.ts";

const HOT: NewRule = { metric: "a", operator: "gt", value: 90, severity: "major" };
const COLD: NewRule = { metric: "a", operator: "lt", value: 5, severity: "minor" };

/** Returns the ids of the rules after a change of a pack with the rules `one` (hot) and `two` (cold). */
function idsAfter(...wanted: RuleChange[]): string[] {
  const before = identify([], [HOT, COLD], sequence("one", "two"));
  return identify(before, wanted, sequence("new 1", "new 2")).map(({ id }) => id);
}

function sequence(...ids: string[]): () => string {
  return () => ids.shift()!;
}

test("a rule keeps its id if it evaluates as before, with or without the id in the change", () => {
  assert.deepEqual(idsAfter(HOT, COLD), ["one", "two"]);
  assert.deepEqual(idsAfter(COLD, HOT), ["two", "one"]);
  assert.deepEqual(idsAfter({ ...HOT, id: "one" }), ["one"]);
  assert.deepEqual(idsAfter({ ...HOT, metric: "b" }, COLD), ["new 1", "two"], "after a new rule");
  assert.deepEqual(idsAfter({ ...HOT, severity: "critical", message: "hot" }), ["one"]);
});

test("any change of the condition makes another rule", () => {
  const changes: Partial<NewRule>[] = [
    { metric: "b" },
    { operator: "gte" },
    { value: 91 },
    { clearValue: 80 },
    { forSeconds: 1 },
    { clearForSeconds: 1 },
  ];
  for (const change of changes) {
    assert.deepEqual(idsAfter({ ...HOT, ...change }), ["new 1"], JSON.stringify(change));
    assert.deepEqual(idsAfter({ ...HOT, ...change, id: "one" }), ["new 1"], "also under its id");
  }
});

test("an id is given to one rule only", () => {
  assert.deepEqual(idsAfter(HOT, HOT), ["one", "new 1"]);
  assert.deepEqual(idsAfter(HOT, { ...HOT, id: "one" }), ["new 1", "one"]);
  assert.throws(() => idsAfter({ ...HOT, id: "one" }, COLD, { ...HOT, id: "one" }), { detail: "rules.2.id" });
  assert.throws(() => idsAfter(HOT, { ...HOT, id: "three" }), { detail: "rules.1.id" });
  assert.throws(() => idsAfter(HOT, { ...HOT, clearValue: 99 }), { code: "invalid_request" });
});

test("an anomaly's message names the condition, with text in quotes", () => {
  const of = (over: object) => messageOf({ metric: "a", operator: "eq", value: 1, message: "", ...over });
  assert.equal(of({}), "a is equal to 1");
  assert.equal(of({ value: true }), "a is equal to true");
  assert.equal(of({ value: "x" }), 'a is equal to "x"');
  assert.equal(of({ operator: "outside", value: [2, 8] }), "a is outside 2 to 8");
  assert.equal(of({ message: "own" }), "own");
});
