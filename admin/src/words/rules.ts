import { t } from "#texts/words.ts";
import type { Schemas } from "../api/client.ts";
import { reading } from "../ui/display/format.ts";

type Rule = Schemas["ThresholdRule"];

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

/** Returns `temperature is above 90`. */
export function ruleText({ metric, operator, value }: Pick<Rule, "metric" | "operator" | "value">): string {
  const limit = Array.isArray(value) ? value.map(reading).join(t.to) : reading(value);
  return `${metric} ${OPERATORS[operator]} ${limit}`;
}
