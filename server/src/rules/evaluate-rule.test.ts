import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { RuleValue } from "../anomalies/anomalies.ts";
import type { MetricValue } from "../telemetry/reading.ts";
import { compileRule, evaluate, type RuleState } from "./evaluate-rule.ts";
import { checkRule, type NewRule, type Rule, ruleFor } from "./rule.ts";
import { anyMessages, anyRule } from "./test-support/any-telemetry.ts";
import { type ReferenceAnomaly, referenceAnomalies, type SentReading } from "./test-support/reference-evaluator.ts";

const rule = (over: Partial<NewRule>): Rule<RuleValue> =>
  ruleFor(checkRule({ metric: "m", operator: "gt", value: 90, severity: "major", ...over }, "rule", "rules.0"), {});

/** Returns the outcome of each value, one second apart. The state is serialized in between, as when stored. */
function outcomes(rule: Rule<RuleValue>, ...values: MetricValue[]): string[] {
  let state: RuleState = { phase: "ok", since: 0 };
  return values.map((value, second) => {
    const outcome = evaluate(compileRule(rule), state, second * 1_000_000, value);
    state = JSON.parse(JSON.stringify(state));
    return `${outcome} ${state.phase}`;
  });
}

test("without durations a breach opens immediately and the first good value resolves it", () => {
  assert.deepEqual(outcomes(rule({}), 90, 91, 92, 90, 91), [
    "nothing ok",
    "opened open",
    "observed open",
    "resolved ok",
    "opened open",
  ]);
});

test("a breach must last forSeconds, and a good value in between restarts it", () => {
  assert.deepEqual(outcomes(rule({ forSeconds: 2 }), 91, 91, 90, 91, 91, 91), [
    "nothing pending",
    "nothing pending",
    "nothing ok",
    "nothing pending",
    "nothing pending",
    "opened open",
  ]);
});

test("good values must last clearForSeconds, and a breach or a value in the band restarts that", () => {
  assert.deepEqual(outcomes(rule({ clearValue: 80, clearForSeconds: 2 }), 91, 85, 80, 85, 80, 80, 95, 80, 80, 80), [
    "opened open",
    "nothing open",
    "nothing clearing",
    "nothing open",
    "nothing clearing",
    "nothing clearing",
    "observed open",
    "nothing clearing",
    "nothing clearing",
    "resolved ok",
  ]);
});

test("a value in the band ends a pending breach", () => {
  assert.deepEqual(outcomes(rule({ clearValue: 80, forSeconds: 5 }), 91, 85), ["nothing pending", "nothing ok"]);
});

test("each operator distinguishes breach, band and good to the last digit", () => {
  const sides: [Partial<NewRule>, MetricValue[], string][] = [
    [{ operator: "gt", value: 5, clearValue: 3 }, [5.1, 5, 3.1, 3, true, "x"], "breach,band,band,good,,"],
    [{ operator: "gte", value: 5, clearValue: 3 }, [5, 4.9, 3, 2.9], "breach,band,band,good"],
    [{ operator: "lt", value: 5, clearValue: 7 }, [4.9, 5, 6.9, 7], "breach,band,band,good"],
    [{ operator: "lte", value: 5, clearValue: 7 }, [5, 5.1, 7, 7.1], "breach,band,band,good"],
    [{ operator: "gte", value: 5 }, [5, 4.9], "breach,good"],
    [
      { operator: "outside", value: [2, 8], clearValue: [3, 7] },
      [1, 2, 3, 7, 8, 9, false],
      "breach,band,good,good,band,breach,",
    ],
    [{ operator: "eq", value: false }, [false, true, 0, ""], "breach,good,,"],
    [{ operator: "ne", value: "run" }, ["run", "stop", true, 1], "good,breach,,"],
    [{ operator: "eq", value: 0 }, [-0, 1], "breach,good"],
  ];
  for (const [over, values, expected] of sides)
    assert.equal(values.map(compileRule(rule(over)).sideOf).join(), expected, JSON.stringify(over));
});

/** Evaluates one device reading by reading, storing and loading its state between any two. */
function anomaliesOf(rule: Rule<RuleValue>, messages: readonly (readonly SentReading[])[]): ReferenceAnomaly[] {
  const found: ReferenceAnomaly[] = [];
  let stored = JSON.stringify({ phase: "ok", since: 0 });
  let newest = Number.NEGATIVE_INFINITY;
  for (const message of messages) {
    for (const { time, metric, value } of message.toSorted((a, b) => a.time - b.time)) {
      if (metric !== rule.metric || time <= newest) continue;
      newest = time;
      const state: RuleState = JSON.parse(stored);
      const outcome = evaluate(compileRule(rule), state, time, value);
      stored = JSON.stringify(state);
      const last = found.at(-1);
      if (outcome === "opened") {
        found.push({ ruleId: rule.id, openedAt: time, resolvedAt: null, occurrences: 1, value });
      } else if (outcome === "observed") {
        Object.assign(last!, { occurrences: last!.occurrences + 1, value });
      } else if (outcome === "resolved") last!.resolvedAt = time;
    }
  }
  return found;
}

test("the anomalies match the reference evaluator for late, repeated and unordered readings", () => {
  fc.assert(
    fc.property(anyRule("rule"), anyMessages, (any, messages) => {
      const one = ruleFor(any, {});
      assert.deepEqual(anomaliesOf(one, messages), referenceAnomalies([one], messages));
    }),
    { numRuns: 2_000 },
  );
});
