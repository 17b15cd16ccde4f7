import type { ThresholdDetail } from "../../api/monitoring/thresholds.ts";
import { boundsOf } from "../../parts/form/rules.ts";
import { violation } from "../../parts/form/violation.ts";
import { ruleProblems } from "./rule-problems.ts";
import { NEW_RULE, type RuleValues, ruleOf, valuesOf } from "./rule-values.ts";

/** A pack as its form has it. */
export interface ThresholdValues extends Record<string, unknown> {
  name: string;
  description: string;
  enabled: boolean;
  rules: RuleValues[];
}

export const NEW_PACK: ThresholdValues = { name: "", description: "", enabled: true, rules: [NEW_RULE] };

export function packValues({ name, description, enabled, rules }: ThresholdDetail): ThresholdValues {
  return { name, description, enabled, rules: rules.map(valuesOf) };
}

/** What the service is sent. */
export function packOf({ name, description, enabled, rules }: ThresholdValues) {
  return { name, description, enabled, rules: rules.map(ruleOf) };
}

/** What is wrong, by the path of the field. */
export function packProblems({ name, description, rules }: ThresholdValues): Record<string, string> {
  const texts = Object.entries({ name, description }).map(
    ([field, text]) => [field, violation(boundsOf("createThreshold", field), text)] as const,
  );
  const wrong = Object.fromEntries(texts.filter(([, problem]) => problem !== null)) as Record<string, string>;
  return Object.assign(wrong, ...rules.map(ruleProblems));
}
