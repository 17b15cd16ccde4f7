import { t } from "#texts/pages/thresholds.ts";
import { LIMITS } from "../../api/limits.ts";
import { boundsOf } from "../../parts/form/rules.ts";
import { violation } from "../../parts/form/violation.ts";
import { type ConditionValues, isEquality, type RuleValues, type ThresholdValues } from "./rule-values.ts";

const NUMBER = t.enterANumber;
const SECONDS = t.enterWholeSeconds0Or;

/**
 * Returns what is wrong with the fields of a rule, by their path in the form: `rules.0.value`. The service checks the
 * rest.
 */
export function ruleProblems(rule: RuleValues, at: number): Record<string, string> {
  const path = `rules.${at}`;
  const durations = wrong(path, [
    ["forSeconds", !isSeconds(rule.forSeconds), SECONDS],
    ["clearForSeconds", !isSeconds(rule.clearForSeconds), SECONDS],
  ]);
  const further = rule.further.map((each, n) => conditionProblems(each, `${path}.further.${n}`));
  return Object.assign(conditionProblems(rule, path), durations, ...further);
}

function conditionProblems(condition: ConditionValues, path: string): Record<string, string> {
  const { metric, measure, operator, value, high, clearValue, clearHigh, clearMetadata } = condition;
  const isRange = operator === "outside";
  const isChange = measure === "change" || measure === "rate";
  const mayClear = !isEquality(operator);
  return wrong(path, [
    ["metric", metric.trim() === "", t.enterTheNameOfA],
    ["overSeconds", isChange && !isWithin(condition.overSeconds, 10, 86_400), t.enterSecondsFrom10],
    ["days", measure === "deviation" && !isWithin(condition.days, 1, LIMITS.daysOfDeviation), t.enterDays],
    ["value", isEquality(operator) ? value === "" : !isNumber(value), NUMBER],
    ["high", isRange && !isNumber(high), NUMBER],
    ["clearValue", mayClear && (clearValue !== "" || clearMetadata.trim() !== "") && !isNumber(clearValue), NUMBER],
    ["clearHigh", isRange && clearHigh !== "" && !isNumber(clearHigh), NUMBER],
  ]);
}

function wrong(path: string, problems: [field: keyof RuleValues, isWrong: boolean, text: string][]) {
  const found = problems.filter(([, isWrong]) => isWrong);
  return Object.fromEntries(found.map(([field, , text]) => [`${path}.${field}`, text]));
}

function isWithin(text: string, least: number, most: number): boolean {
  return isSeconds(text) && Number(text) >= least && Number(text) <= most;
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
