import fc from "fast-check";
import type { MetricValue } from "../reading.ts";
import { checkRule, type NewRule, type Rule } from "../rule.ts";
import type { Said } from "./reference-evaluator.ts";

/** Few metrics, few values, few instants: so that late, double and contradicting readings are the rule. */
const METRICS = ["a", "b"] as const;
const SPAN_SECONDS = 30;

const anyValue: fc.Arbitrary<MetricValue> = fc.oneof(
  { weight: 8, arbitrary: fc.integer({ min: 0, max: 6 }) },
  { weight: 1, arbitrary: fc.boolean() },
  { weight: 1, arbitrary: fc.constantFrom("run", "stop") },
);

const seconds = fc.oneof(
  { weight: 1, arbitrary: fc.constant(0) },
  { weight: 2, arbitrary: fc.integer({ min: 1, max: 6 }) },
);

const anyComparison: fc.Arbitrary<Pick<NewRule, "operator" | "value" | "clearValue">> = fc.oneof(
  fc.record({
    operator: fc.constantFrom("gt", "gte"),
    value: fc.integer({ min: 3, max: 5 }),
    clearValue: fc.constantFrom(null, 1, 2, 3),
  }),
  fc.record({
    operator: fc.constantFrom("lt", "lte"),
    value: fc.integer({ min: 1, max: 3 }),
    clearValue: fc.constantFrom(null, 3, 4, 5),
  }),
  fc.record({
    operator: fc.constant("outside" as const),
    value: fc.constant([1, 5] as const),
    clearValue: fc.constantFrom(null, [2, 4] as const, [1, 3] as const),
  }),
  fc.record({ operator: fc.constantFrom("eq", "ne"), value: fc.constantFrom<MetricValue>(3, true, "run") }),
);

/** Any rule on one of the metrics. */
export function anyRule(id: string): fc.Arbitrary<Rule> {
  return fc
    .record({
      metric: fc.constantFrom(...METRICS),
      forSeconds: seconds,
      clearForSeconds: seconds,
      compare: anyComparison,
    })
    .map(({ compare, ...rest }) => checkRule({ ...rest, ...compare, severity: "minor" }, id, "rule"));
}

const anySaid: fc.Arbitrary<Said> = fc.record({
  time: fc.integer({ min: 0, max: SPAN_SECONDS * 2 }).map((halves) => halves * 500_000),
  metric: fc.constantFrom(...METRICS),
  value: anyValue,
});

/** Messages that mostly go on in time, some of them out of order, and some that come a second time. */
export const anyMessages: fc.Arbitrary<Said[][]> = fc
  .tuple(
    fc.array(fc.array(anySaid, { minLength: 1, maxLength: 4 }), { maxLength: 25 }),
    fc.array(fc.tuple(fc.nat(), fc.nat()), { maxLength: 8 }),
  )
  .map(([messages, moves]) => {
    const sent = messages.toSorted((one, two) => one[0]!.time - two[0]!.time);
    for (const [from, to] of moves) {
      if (sent.length > 0) sent.splice(to % (sent.length + 1), 0, sent[from % sent.length]!);
    }
    return sent;
  });
