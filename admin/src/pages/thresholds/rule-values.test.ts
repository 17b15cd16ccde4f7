import assert from "node:assert/strict";
import { test } from "node:test";
import { ruleProblems } from "./rule-problems.ts";
import { NEW_RULE, ruleOf, valuesOf } from "./rule-values.ts";

const HOT = {
  metric: "t",
  operator: "gt",
  severity: "major",
  message: "",
  forSeconds: 60,
  clearForSeconds: 0,
} as const;

test("a stored rule comes back from the form as it was", () => {
  const rules = [
    { ...HOT, id: "1", value: 90, clearValue: 85 },
    { ...HOT, id: "2", operator: "outside", value: [2, 8], clearValue: [2.5, 8] },
    { ...HOT, id: "3", operator: "eq", value: false, clearValue: null },
    { ...HOT, id: "4", operator: "ne", value: "auto", clearValue: null },
    { ...HOT, id: "5", value: { metadata: "most", default: 8 }, clearValue: { metadata: "good", default: 7 } },
    { ...HOT, id: "6", value: 5, clearValue: 4, measure: { kind: "change", overSeconds: 60, counter: true } },
    { ...HOT, id: "7", value: 5, clearValue: 4, measure: { kind: "rate", overSeconds: 60, per: "hour" } },
    { ...HOT, id: "8", value: 5, clearValue: 4, measure: { kind: "deviation", days: 3 } },
    {
      ...HOT,
      id: "9",
      value: 300,
      clearValue: 60,
      measure: { kind: "age" },
      or: [{ metric: "b", operator: "lt", value: 5, clearValue: 6 }],
    },
  ] as const;
  for (const rule of rules) {
    const { clearValue, ...sent } = ruleOf(valuesOf(rule as never));
    assert.deepEqual({ clearValue: clearValue ?? null, ...sent }, rule);
  }
});

test("a rule that clears at its limit has no place of its own to clear", () => {
  const values = valuesOf({ ...HOT, id: "1", value: 90, clearValue: 90 });
  assert.equal(values.clearValue, "");
  assert.equal("clearValue" in ruleOf(values), false);
});

test("what cannot be a rule is said at its field before it is sent", () => {
  const of = (over: object) => Object.keys(ruleProblems({ ...NEW_RULE, metric: "t", value: "1", ...over }, 2));
  assert.deepEqual(of({}), []);
  assert.deepEqual(of({ metric: " ", value: "hot" }), ["rules.2.metric", "rules.2.value"]);
  assert.deepEqual(of({ operator: "eq", value: "hot" }), []);
  assert.deepEqual(of({ measure: "rate", overSeconds: "9", further: [{ ...NEW_RULE, metric: "b" }] }), [
    "rules.2.overSeconds",
    "rules.2.further.0.value",
  ]);
  assert.deepEqual(of({ measure: "deviation", days: "31", clearMetadata: "x" }), [
    "rules.2.days",
    "rules.2.clearValue",
  ]);
  assert.deepEqual(of({ operator: "outside", value: "1", high: "" }), ["rules.2.high"]);
  assert.deepEqual(of({ clearValue: "x", forSeconds: "-1", clearForSeconds: "1.5" }), [
    "rules.2.clearValue",
    "rules.2.forSeconds",
    "rules.2.clearForSeconds",
  ]);
});
