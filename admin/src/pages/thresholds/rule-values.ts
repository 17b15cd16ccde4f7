import type { ChangedRule, ThresholdDetail, ThresholdRule } from "../../api/monitoring/thresholds.ts";

/** A rule in the form: every field is text. */
export interface RuleValues {
  /** Empty for a new rule. */
  id: string;
  metric: string;
  operator: ThresholdRule["operator"];
  value: string;
  /** The upper end, for `outside`; `value` is the lower one. */
  high: string;
  clearValue: string;
  clearHigh: string;
  forSeconds: string;
  clearForSeconds: string;
  severity: ThresholdRule["severity"];
  message: string;
}

export const NEW_RULE: RuleValues = {
  id: "",
  metric: "",
  operator: "gt",
  value: "",
  high: "",
  clearValue: "",
  clearHigh: "",
  forSeconds: "0",
  clearForSeconds: "0",
  severity: "major",
  message: "",
};

/** Whether the rule compares for equality: such a rule takes any value, and clears when it is false. */
export const isEquality = (operator: RuleValues["operator"]) => operator === "eq" || operator === "ne";

/** Returns a stored rule as values of the form. A clear value that equals the limit stays empty. */
export function valuesOf(rule: ThresholdRule): RuleValues {
  const [value, high] = ends(rule.value);
  const isOwn = JSON.stringify(rule.clearValue) !== JSON.stringify(rule.value);
  const [clearValue, clearHigh] = isOwn && rule.clearValue !== null ? ends(rule.clearValue) : ["", ""];
  return {
    ...rule,
    value,
    high,
    clearValue,
    clearHigh,
    forSeconds: String(rule.forSeconds),
    clearForSeconds: String(rule.clearForSeconds),
  };
}

function ends(value: ThresholdRule["value"]): [low: string, high: string] {
  return Array.isArray(value) ? [String(value[0]), String(value[1])] : [String(value), ""];
}

/** Returns a rule in the form of the API. */
export function ruleOf(values: RuleValues): ChangedRule {
  const { id, metric, operator, severity, message } = values;
  const clear = clearOf(values);
  return {
    ...(id === "" ? {} : { id }),
    metric: metric.trim(),
    operator,
    value: comparandOf(values),
    ...(clear === undefined ? {} : { clearValue: clear }),
    forSeconds: Number(values.forSeconds),
    clearForSeconds: Number(values.clearForSeconds),
    severity,
    message,
  };
}

function comparandOf({ operator, value, high }: RuleValues): ChangedRule["value"] {
  if (operator === "outside") return [Number(value), Number(high)];
  return isEquality(operator) ? anyValue(value) : Number(value);
}

function clearOf({ operator, clearValue, clearHigh, value, high }: RuleValues): ChangedRule["clearValue"] | undefined {
  if (isEquality(operator) || (clearValue === "" && clearHigh === "")) return undefined;
  if (operator !== "outside") return Number(clearValue);
  return [Number(clearValue || value), Number(clearHigh || high)];
}

/** Parses a value: `true` and `false` are booleans, a numeral is a number, any other text is text. */
function anyValue(text: string): number | boolean | string {
  if (text === "true" || text === "false") return text === "true";
  return text.trim() !== "" && Number.isFinite(Number(text)) ? Number(text) : text;
}

/** A pack in the form. */
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

/** Returns a pack in the form of the API. */
export function packOf({ name, description, enabled, rules }: ThresholdValues) {
  return { name, description, enabled, rules: rules.map(ruleOf) };
}
