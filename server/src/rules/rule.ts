import type { Range, RuleValue, Severity } from "../anomalies/anomalies.ts";
import { records } from "../lib/limits/records.ts";
import { invalidRequest } from "../lib/request-errors.ts";
import { plainText } from "../lib/text.ts";
import { nameProblem, valueProblem } from "../telemetry/telemetry.ts";

export const OPERATORS = ["gt", "gte", "lt", "lte", "eq", "ne", "outside"] as const;
export type Operator = (typeof OPERATORS)[number];

/** A rule as provided by the caller. */
export interface NewRule {
  metric: string;
  operator: Operator;
  value: RuleValue;
  clearValue?: RuleValue | null | undefined;
  forSeconds?: number | undefined;
  clearForSeconds?: number | undefined;
  severity: Severity;
  message?: string | undefined;
}

/** A rule of a threshold pack (docs/spec-decisions.md, records). */
export interface Rule {
  id: string;
  metric: string;
  operator: Operator;
  value: RuleValue;
  /**
   * The value at which the breach clears: on the good side of `value`, or `value` itself. Null for `eq` and `ne`, which
   * clear when they are false.
   */
  clearValue: RuleValue | null;
  /** How long a breach must last before it opens an anomaly. */
  forSeconds: number;
  /** How long values must be good before the anomaly is resolved. */
  clearForSeconds: number;
  severity: Severity;
  /** The message of the anomaly; if empty, a sentence is derived from the rule. */
  message: string;
}

const MAX_MESSAGE = records.ruleMessageCharacters.value;

/**
 * Validates a rule and fills in its defaults.
 *
 * @param where the rule's place in the request, e.g. `rules.0`
 * @throws MusterError invalid_request with the invalid field in `detail`, e.g. `rules.0.clearValue`
 */
export function checkRule(input: NewRule, id: string, where: string): Rule {
  const problem = nameProblem(input.metric);
  if (problem) throw invalidRequest(problem, `${where}.metric`);
  return {
    id,
    metric: input.metric,
    operator: input.operator,
    value: checkComparand(input, where),
    clearValue: checkClearValue(input, where),
    forSeconds: input.forSeconds ?? 0,
    clearForSeconds: input.clearForSeconds ?? 0,
    severity: input.severity,
    message: plainText(`${where}.message`, input.message ?? "", MAX_MESSAGE).trim(),
  };
}

function checkComparand({ operator, value, metric }: NewRule, where: string): RuleValue {
  const field = `${where}.value`;
  if (operator === "outside") {
    if (isRange(value)) return value;
    throw invalidRequest("for outside, value is [low, high] with low below high", field);
  }
  if (operator === "eq" || operator === "ne") {
    const problem = valueProblem(metric, value);
    if (problem) throw invalidRequest(problem, field);
    return value;
  }
  if (typeof value === "number") return value;
  throw invalidRequest(`for ${operator}, value is a number`, field);
}

function checkClearValue({ operator, value, clearValue }: NewRule, where: string): RuleValue | null {
  const field = `${where}.clearValue`;
  const equality = operator === "eq" || operator === "ne";
  if (clearValue === undefined || clearValue === null) return equality ? null : value;
  if (equality) throw invalidRequest(`for ${operator} there is no clearValue`, field);
  if (isGoodSide(operator, value, clearValue)) return clearValue;
  throw invalidRequest(`for ${operator}, clearValue is ${GOOD_SIDE[operator]}`, field);
}

const GOOD_SIDE: Record<Exclude<Operator, "eq" | "ne">, string> = {
  gt: "a number not above value",
  gte: "a number not above value",
  lt: "a number not below value",
  lte: "a number not below value",
  outside: "[low, high] with low below high, both within value",
};

function isGoodSide(operator: Operator, value: RuleValue, clearValue: RuleValue): boolean {
  if (operator === "outside") {
    return isRange(value) && isRange(clearValue) && value[0] <= clearValue[0] && clearValue[1] <= value[1];
  }
  if (typeof clearValue !== "number" || typeof value !== "number") return false;
  return operator === "gt" || operator === "gte" ? clearValue <= value : clearValue >= value;
}

function isRange(value: RuleValue): value is Range {
  return Array.isArray(value) && value[0] < value[1];
}
