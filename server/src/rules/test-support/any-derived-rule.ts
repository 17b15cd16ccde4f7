import fc from "fast-check";
import { checkRule, type NewRule, type Rule } from "../rule.ts";

/** A condition on one of the metrics of `anyMessages`, with any measure except the named ones. */
function anyCondition(without: readonly string[]) {
  const limits = fc.record({
    operator: fc.constantFrom("gt", "gte", "lt", "lte"),
    value: fc.integer({ min: -2, max: 4 }),
    band: fc.constantFrom(0, 1, 2),
  });
  const change = { overSeconds: fc.integer({ min: 10, max: 14 }), counter: fc.boolean() };
  const per = fc.constantFrom("second", "minute", "hour");
  const measures = [
    fc.constant(undefined),
    fc.record({ kind: fc.constant("change"), ...change }),
    fc.record({ kind: fc.constant("rate"), ...change, per }),
    fc.constant({ kind: "age" }),
    fc.record({ kind: fc.constant("deviation"), days: fc.constant(2) }),
  ].filter((_, at) => !without.includes(KINDS[at]!));
  return fc
    .record({ metric: fc.constantFrom("a", "b"), limits, measure: fc.oneof(...(measures as [fc.Arbitrary<unknown>])) })
    .map(({ metric, limits: { operator: any, value, band }, measure }) => {
      const operator = (measure as { kind?: string } | undefined)?.kind === "age" ? "gt" : any;
      const clearValue = operator.startsWith("g") ? value - band : value + band;
      return { metric, operator, value, clearValue, measure } as NewRule;
    });
}

const KINDS = ["plain", "change", "rate", "age", "deviation"];
const seconds = fc.constantFrom(0, 0, 1, 4);

/** Generates any rule with a measure or with several conditions. */
export function anyDerivedRule(id: string, without: readonly string[] = []): fc.Arbitrary<Rule> {
  const further = fc.array(anyCondition(without), { minLength: 1, maxLength: 2 });
  const durations = { forSeconds: seconds, clearForSeconds: seconds };
  const rules = fc.oneof(
    fc.record({ first: anyCondition([...without, "plain"]), ...durations }),
    fc.record({ first: anyCondition(without), and: further, ...durations }),
    fc.record({ first: anyCondition(without), or: further, ...durations }),
  );
  return rules.map(({ first, ...rest }) => checkRule({ ...first, ...rest, severity: "minor" }, id, "rule"));
}
