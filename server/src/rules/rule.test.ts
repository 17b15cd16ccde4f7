import assert from "node:assert/strict";
import { test } from "node:test";
import { checkRule, type NewRule, ruleFor } from "./rule.ts";
import { messageOf } from "./rule-text.ts";

const ID = "0199c1c6-0000-7a11-9c22-5e6f7a8b9c0d";
const rule = (over: Partial<NewRule>): NewRule => ({
  metric: "temperature",
  operator: "gt",
  value: 90,
  severity: "major",
  ...over,
});
const checked = (over: Partial<NewRule>) => checkRule(rule(over), ID, "rules.0");

test("the good range of `outside` may share its ends with the rule", () => {
  const rule = (clearValue: [number, number]) =>
    checkRule({ metric: "m", operator: "outside", value: [2, 8], clearValue, severity: "minor" }, "id", "rules.0");
  for (const range of [
    [2, 8],
    [3, 8],
    [2, 7],
  ] as [number, number][])
    assert.deepEqual(rule(range).clearValue, range);
  for (const range of [
    [1, 8],
    [2, 9],
  ] as [number, number][])
    assert.throws(() => rule(range), { code: "invalid_request" });
});

test("the record of a rule has defaults for absent fields", () => {
  assert.deepEqual(checked({}), {
    id: ID,
    metric: "temperature",
    operator: "gt",
    value: 90,
    clearValue: 90,
    forSeconds: 0,
    clearForSeconds: 0,
    severity: "major",
    message: "",
  });
  assert.deepEqual(checked({ operator: "outside", value: [2, 8] }).clearValue, [2, 8]);
  assert.equal(checked({ operator: "eq", value: "open" }).clearValue, null);
  assert.equal(checked({ operator: "gt", clearValue: null }).clearValue, 90);
});

test("clearValue lies on the good side of value", () => {
  const good: Partial<NewRule>[] = [
    { operator: "gt", value: 90, clearValue: 85 },
    { operator: "gte", value: 90, clearValue: 90 },
    { operator: "lt", value: 5, clearValue: 7 },
    { operator: "lte", value: 5, clearValue: 5 },
    { operator: "outside", value: [2, 8], clearValue: [2, 7.5] },
  ];
  for (const each of good) assert.deepEqual(checked(each).clearValue, each.clearValue);
  const bad: Partial<NewRule>[] = [
    { operator: "gt", value: 90, clearValue: 90.1 },
    { operator: "gte", value: 90, clearValue: "85" },
    { operator: "lt", value: 5, clearValue: 4 },
    { operator: "lte", value: 5, clearValue: [5, 6] },
    { operator: "outside", value: [2, 8], clearValue: [1, 8] },
    { operator: "outside", value: [2, 8], clearValue: [3, 9] },
    { operator: "outside", value: [2, 8], clearValue: [5, 5] },
    { operator: "outside", value: [2, 8], clearValue: 5 },
    { operator: "eq", value: 1, clearValue: 1 },
    { operator: "ne", value: "open", clearValue: "shut" },
  ];
  for (const each of bad)
    assert.throws(() => checked(each), { code: "invalid_request", detail: "rules.0.clearValue" }, JSON.stringify(each));
});

test("value has a type that its operator can compare", () => {
  for (const value of [1, true, false, "open", ""]) assert.equal(checked({ operator: "ne", value }).value, value);
  const bad: Partial<NewRule>[] = [
    { operator: "gt", value: true },
    { operator: "lte", value: "5" },
    { operator: "gte", value: [1, 2] },
    { operator: "eq", value: [1, 2] },
    { operator: "eq", value: "é".repeat(513) },
    { operator: "eq", value: "a\0b" },
    { operator: "outside", value: 5 },
    { operator: "outside", value: [8, 2] },
    { operator: "outside", value: [2, 2] },
  ];
  for (const each of bad)
    assert.throws(() => checked(each), { code: "invalid_request", detail: "rules.0.value" }, JSON.stringify(each));
});

test("the metric of a rule is a name that telemetry can have", () => {
  for (const metric of ["", "a\nb", "__proto__", "é".repeat(65), "\ud800"])
    assert.throws(() => checked({ metric }), { code: "invalid_request", detail: "rules.0.metric" });
});

test("the message of an anomaly is the rule's own, or a sentence made from the rule", () => {
  const said = (over: Partial<NewRule>) => messageOf(ruleFor(checked(over), {}));
  assert.equal(said({ message: " Too hot " }), "Too hot");
  assert.equal(said({}), "temperature is above 90");
  assert.equal(said({ operator: "outside", value: [2, 8] }), "temperature is outside 2 to 8");
  assert.equal(said({ operator: "ne", value: "run" }), 'temperature is other than "run"');
  assert.equal(said({ operator: "eq", value: false }), "temperature is equal to false");
});
