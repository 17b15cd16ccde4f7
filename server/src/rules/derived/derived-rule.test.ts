import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { type Rule, ruleFor } from "../rule.ts";
import { anyDerivedRule } from "../test-support/any-derived-rule.ts";
import { anyMessages } from "../test-support/any-telemetry.ts";
import { type DerivedAnomaly, derivedAnomalies } from "../test-support/reference-derived.ts";
import type { SentReading } from "../test-support/reference-evaluator.ts";
import type { Given } from "./condition-memory.ts";
import { compileDerived, evaluateDerived } from "./derived-rule.ts";

const averageOf = (hour: number) => (hour % 3 === 0 ? null : hour % 3);

/** Evaluates reading by reading. Between any two, the state is stored as JSON and restored as a restart does it. */
function anomaliesOf(rule: Rule, messages: readonly (readonly SentReading[])[]): DerivedAnomaly[] {
  const own = ruleFor(rule, {});
  const derived = compileDerived(own);
  const metrics = derived.conditions.map(({ condition }) => condition.metric);
  let stored = JSON.stringify({ phase: { phase: "ok", since: 0 }, memory: metrics.map(() => ({})) });
  const newest = new Map<string, SentReading>();
  let latest = Number.NEGATIVE_INFINITY;
  const newestOf = (metric: string) => newest.get(metric)?.time ?? Number.NEGATIVE_INFINITY;
  const found: DerivedAnomaly[] = [];
  for (const reading of messages.flatMap((message) => message.toSorted((a, b) => a.time - b.time))) {
    const { time, metric, value } = reading;
    const { phase, memory } = JSON.parse(stored);
    const last = Math.max(...metrics.map(newestOf), derived.hasAge ? latest : Number.NEGATIVE_INFINITY);
    const fresh = new Map<string, Given>();
    if (metrics.includes(metric) && time > newestOf(metric)) {
      fresh.set(metric, { value, previous: newest.get(metric)?.value });
      newest.set(metric, reading);
    }
    const isLatest = time > latest;
    latest = Math.max(latest, time);
    const sent = { time, isLatest, fresh, newestOf, averageOf: () => averageOf };
    const evaluated = evaluateDerived(derived, phase, { memory, last }, sent);
    if (evaluated === undefined) continue;
    const before = JSON.stringify(JSON.parse(stored).memory);
    assert.equal(evaluated.changed, JSON.stringify(memory) !== before, "a change of the memory is stored");
    stored = JSON.stringify({ phase, memory });
    const { outcome, condition, value: shown } = evaluated;
    const anomaly = found.at(-1);
    const seen = { metric: condition.metric, value: shown! };
    if (outcome === "opened") found.push({ openedBy: reading, resolvedBy: null, occurrences: 1, ...seen });
    else if (outcome === "observed") Object.assign(anomaly!, { occurrences: anomaly!.occurrences + 1, ...seen });
    else if (outcome === "resolved") anomaly!.resolvedBy = reading;
  }
  return found;
}

test("rules with measures and several conditions find the anomalies of the reference evaluator", () => {
  let found = 0;
  fc.assert(
    fc.property(anyDerivedRule("rule"), anyMessages, (rule, messages) => {
      const expected = derivedAnomalies(rule, messages, averageOf);
      found += expected.length;
      assert.deepEqual(anomaliesOf(rule, messages), expected);
    }),
    { numRuns: 300 },
  );
  assert.ok(found > 100, `only ${found} anomalies`);
});
