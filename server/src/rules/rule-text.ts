import type { RuleValue } from "../anomalies/anomalies.ts";
import { quoted } from "../telemetry/telemetry.ts";
import type { Operator, Rule } from "./rule.ts";

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
export function messageOf(rule: Pick<Rule, "message" | "metric" | "operator" | "value">): string {
  return rule.message || `${rule.metric} is ${PHRASES[rule.operator]} ${shown(rule.value)}`;
}

function shown(value: RuleValue): string {
  if (typeof value === "object") return `${value[0]} to ${value[1]}`;
  return typeof value === "string" ? quoted(value) : String(value);
}
