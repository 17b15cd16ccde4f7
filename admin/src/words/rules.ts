import type { Schemas } from "../api/client.ts";
import { reading } from "../ui/display/format.ts";

type Rule = Schemas["ThresholdRule"];

/** When a rule is broken. */
export const OPERATORS: Readonly<Record<Rule["operator"], string>> = {
  gt: "is above",
  gte: "is at least",
  lt: "is below",
  lte: "is at most",
  eq: "is",
  ne: "is not",
  outside: "is outside",
};

/** `temperature is above 90`, as a person says it. */
export function ruleText({ metric, operator, value }: Pick<Rule, "metric" | "operator" | "value">): string {
  const limit = Array.isArray(value) ? value.map(reading).join(" to ") : reading(value);
  return `${metric} ${OPERATORS[operator]} ${limit}`;
}
