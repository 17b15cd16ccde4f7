import { t } from "#texts/words.ts";
import type { Schemas } from "../api/client.ts";
import { reading } from "../ui/display/format.ts";

type Rule = Schemas["ThresholdRule"];
type Condition = Pick<Rule, "metric" | "operator" | "value" | "measure">;
/** A rule as far as its sentence goes. */
export type SaidRule = Condition & { and?: readonly Condition[] | undefined; or?: readonly Condition[] | undefined };

/** The operators of rules, in the words of a sentence. */
export const OPERATORS: Readonly<Record<Rule["operator"], string>> = {
  gt: t.isAbove,
  gte: t.isAtLeast,
  lt: t.isBelow,
  lte: t.isAtMost,
  eq: t.is,
  ne: t.isNot,
  outside: t.isOutside,
};

/** Returns `temperature is above 90`, with further conditions. */
export function ruleText(rule: SaidRule): string {
  const conditions = [rule, ...(rule.and ?? rule.or ?? [])];
  return conditions.map(conditionText).join(rule.or ? t.ruleOr : t.ruleAnd);
}

function conditionText({ metric, operator, value, measure }: Condition): string {
  return `${subject(metric, measure)} ${OPERATORS[operator]} ${limitText(value)}${measure?.kind === "age" ? " s" : ""}`;
}

function subject(metric: string, measure: Condition["measure"]): string {
  switch (measure?.kind) {
    case undefined:
      return metric;
    case "change":
      return t.changeOf(metric, measure.overSeconds);
    case "rate":
      return t.rateOf(metric, t[measure.per]);
    case "age":
      return t.timeWithout(metric);
    case "deviation":
      return t.deviationOf(metric, measure.days);
  }
}

function limitText(value: Rule["value"]): string {
  if (Array.isArray(value)) return value.map(reading).join(t.to);
  return typeof value === "object" ? t.limitOfMetadata(value.metadata, reading(value.default)) : reading(value);
}
