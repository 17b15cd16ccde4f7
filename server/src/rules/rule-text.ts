import type { RuleValue } from "../anomalies/anomalies.ts";
import { quoted } from "../telemetry/telemetry.ts";
import type { Condition } from "./condition.ts";
import type { Operator } from "./operator.ts";
import type { Rule } from "./rule.ts";

const PHRASES: Record<Operator, string> = {
  gt: "above",
  gte: "at or above",
  lt: "below",
  lte: "at or below",
  eq: "equal to",
  ne: "other than",
  outside: "outside",
};

/** Returns the message for an anomaly of `rule`: the rule's own, or a sentence such as `temperature is above 90`. */
export function messageOf(rule: Omit<Rule<RuleValue>, Unsaid>): string {
  const conditions = [rule, ...(rule.and ?? rule.or ?? [])];
  return rule.message || conditions.map(phraseOf).join(rule.or ? " or " : " and ");
}

type Unsaid = "id" | "clearValue" | "forSeconds" | "clearForSeconds" | "severity";

function phraseOf(condition: Omit<Condition<RuleValue>, "clearValue">): string {
  const { operator, value, measure } = condition;
  const unit = measure?.kind === "age" ? " s" : "";
  return `${subjectOf(condition)} is ${PHRASES[operator]} ${shown(value)}${unit}`;
}

function subjectOf({ metric, measure }: Pick<Condition, "metric" | "measure">): string {
  switch (measure?.kind) {
    case undefined:
      return metric;
    case "change":
      return `the change of ${metric} in ${measure.overSeconds} s`;
    case "rate":
      return `the change of ${metric} per ${measure.per}`;
    case "age":
      return `the time without ${metric}`;
    case "deviation":
      return `the difference of ${metric} from its average`;
  }
}

function shown(value: RuleValue): string {
  if (typeof value === "object") return `${value[0]} to ${value[1]}`;
  return typeof value === "string" ? quoted(value) : String(value);
}
