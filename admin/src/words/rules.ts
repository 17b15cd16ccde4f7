import type { Schemas } from "../api/client.ts";
import { reading } from "../ui/display/format.ts";

type Rule = Schemas["ThresholdRule"];

/** The operators of rules, in the words of a sentence. */
export const OPERATORS: Readonly<Record<Rule["operator"], string>> = {
  gt: "is above",
  gte: "is at least",
  lt: "is below",
  lte: "is at most",
  eq: "is",
  ne: "is not",
  outside: "is outside",
};

/** Returns `temperature is above 90`. */
export function ruleText({ metric, operator, value }: Pick<Rule, "metric" | "operator" | "value">): string {
  const limit = Array.isArray(value) ? value.map(reading).join(" to ") : reading(value);
  return `${metric} ${OPERATORS[operator]} ${limit}`;
}
