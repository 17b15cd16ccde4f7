import type { DeviceMetadata } from "./condition.ts";
import { compileDerived } from "./derived/derived-rule.ts";
import type { ReadyRule } from "./device-rules.ts";
import { compileRule } from "./evaluate-rule.ts";
import { isPlain, type Rule, ruleFor } from "./rule.ts";

/** Prepares a rule for the evaluation of a device. */
export function readyFor(rule: Rule, metadata: DeviceMetadata): ReadyRule {
  const own = ruleFor(rule, metadata);
  return isPlain(rule) ? { rule: own, compiled: compileRule(own) } : { rule: own, derived: compileDerived(own) };
}
