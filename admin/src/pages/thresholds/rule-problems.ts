import { t } from "#texts/pages/thresholds.ts";
import { boundsOf } from "../../parts/form/rules.ts";
import { violation } from "../../parts/form/violation.ts";
import { isEquality, type RuleValues, type ThresholdValues } from "./rule-values.ts";

const NUMBER = t.enterANumber;
const SECONDS = t.enterWholeSeconds0Or;

/**
 * Returns what is wrong with the fields of a rule, by their path in the form: `rules.0.value`. The service checks the
 * rest.
 */
export function ruleProblems(rule: RuleValues, at: number): Record<string, string> {
  const isRange = rule.operator === "outside";
  const problems: [field: keyof RuleValues, isWrong: boolean, text: string][] = [
    ["metric", rule.metric.trim() === "", t.enterTheNameOfA],
    ["value", isEquality(rule.operator) ? rule.value === "" : !isNumber(rule.value), NUMBER],
    ["high", isRange && !isNumber(rule.high), NUMBER],
    ["clearValue", !isEquality(rule.operator) && rule.clearValue !== "" && !isNumber(rule.clearValue), NUMBER],
    ["clearHigh", isRange && rule.clearHigh !== "" && !isNumber(rule.clearHigh), NUMBER],
    ["forSeconds", !isSeconds(rule.forSeconds), SECONDS],
    ["clearForSeconds", !isSeconds(rule.clearForSeconds), SECONDS],
  ];
  const wrong = problems.filter(([, isWrong]) => isWrong);
  return Object.fromEntries(wrong.map(([field, , text]) => [`rules.${at}.${field}`, text]));
}

function isNumber(text: string): boolean {
  return text.trim() !== "" && Number.isFinite(Number(text));
}

function isSeconds(text: string): boolean {
  return /^\d+$/.test(text.trim());
}

/** Returns what is wrong with a pack, by the path of the field. */
export function packProblems({ name, description, rules }: ThresholdValues): Record<string, string> {
  const texts = Object.entries({ name, description }).map(
    ([field, text]) => [field, violation(boundsOf("createThreshold", field), text)] as const,
  );
  const wrong = Object.fromEntries(texts.filter(([, problem]) => problem !== null)) as Record<string, string>;
  return Object.assign(wrong, ...rules.map(ruleProblems));
}
