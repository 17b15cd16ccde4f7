import type { ChangedRule, ThresholdDetail, ThresholdRule } from "../../api/monitoring/thresholds.ts";

/** A condition in the form: every field is text. */
export interface ConditionValues {
  metric: string;
  /** The kind of the measure; empty for the readings themselves. */
  measure: "" | Measure["kind"];
  overSeconds: string;
  per: "second" | "minute" | "hour";
  counter: boolean;
  days: string;
  operator: ThresholdRule["operator"];
  value: string;
  /** The upper end, for `outside`; `value` is the lower one. */
  high: string;
  /** The key of the limit in the metadata of devices; `value` is the limit of devices without one. Empty for none. */
  metadata: string;
  clearValue: string;
  clearHigh: string;
  clearMetadata: string;
}

/** A rule in the form. */
export interface RuleValues extends ConditionValues {
  /** Empty for a new rule. */
  id: string;
  /** The way in which the further conditions combine with the rule's own. */
  combine: "and" | "or";
  further: ConditionValues[];
  forSeconds: string;
  clearForSeconds: string;
  severity: ThresholdRule["severity"];
  message: string;
}

type Condition = NonNullable<ThresholdRule["and"]>[number];
type Measure = NonNullable<Condition["measure"]>;
type Limit = Condition["value"];
type SentCondition = NonNullable<ChangedRule["and"]>[number];

export const NEW_CONDITION: ConditionValues = {
  metric: "",
  measure: "",
  overSeconds: "600",
  per: "minute",
  counter: false,
  days: "7",
  operator: "gt",
  value: "",
  high: "",
  metadata: "",
  clearValue: "",
  clearHigh: "",
  clearMetadata: "",
};

export const NEW_RULE: RuleValues = {
  ...NEW_CONDITION,
  id: "",
  combine: "and",
  further: [],
  forSeconds: "0",
  clearForSeconds: "0",
  severity: "major",
  message: "",
};

/** Whether the rule compares for equality: such a rule takes any value, and clears when it is false. */
export const isEquality = (operator: RuleValues["operator"]) => operator === "eq" || operator === "ne";
/** Whether the rule compares with one number, which may be in the metadata of devices. */
export const isOrder = (operator: RuleValues["operator"]) => !isEquality(operator) && operator !== "outside";

/** Returns a stored rule as values of the form. A clear value that equals the limit stays empty. */
export function valuesOf(rule: ThresholdRule): RuleValues {
  const { id, and, or, severity, message } = rule;
  return {
    ...conditionValues(rule),
    id,
    combine: or ? "or" : "and",
    further: (and ?? or ?? []).map(conditionValues),
    forSeconds: String(rule.forSeconds),
    clearForSeconds: String(rule.clearForSeconds),
    severity,
    message,
  };
}

function conditionValues({ metric, operator, value: limit, clearValue: clear, measure }: Condition): ConditionValues {
  const [value, high, metadata] = ends(limit);
  const isOwn = clear !== null && JSON.stringify(clear) !== JSON.stringify(limit);
  const [clearValue, clearHigh, clearMetadata] = isOwn ? ends(clear) : ["", "", ""];
  const limits = { operator, value, high, metadata, clearValue, clearHigh, clearMetadata };
  return { ...NEW_CONDITION, metric, ...limits, ...measureValues(measure) };
}

function measureValues(measure: Measure | undefined): Partial<ConditionValues> {
  if (measure === undefined) return {};
  if (measure.kind === "deviation") return { measure: measure.kind, days: String(measure.days) };
  if (measure.kind === "age") return { measure: measure.kind };
  const { kind, overSeconds, counter = false } = measure;
  const per = measure.kind === "rate" ? { per: measure.per } : {};
  return { measure: kind, overSeconds: String(overSeconds), counter, ...per };
}

function ends(value: Limit): [low: string, high: string, metadata: string] {
  if (Array.isArray(value)) return [String(value[0]), String(value[1]), ""];
  if (typeof value === "object") return [String(value.default), "", value.metadata];
  return [String(value), "", ""];
}

/** Returns a rule in the form of the API. */
export function ruleOf(values: RuleValues): ChangedRule {
  const { id, combine, further, severity, message } = values;
  return {
    ...(id === "" ? {} : { id }),
    ...conditionOf(values),
    ...(further.length > 0 ? { [combine]: further.map(conditionOf) } : {}),
    forSeconds: Number(values.forSeconds),
    clearForSeconds: Number(values.clearForSeconds),
    severity,
    message,
  };
}

function conditionOf(values: ConditionValues): SentCondition {
  const clear = clearOf(values);
  const measure = measureOf(values);
  return {
    metric: values.metric.trim(),
    operator: values.operator,
    value: comparandOf(values),
    ...(clear === undefined ? {} : { clearValue: clear }),
    ...(measure === undefined ? {} : { measure }),
  };
}

function measureOf({ measure, overSeconds, per, counter, days }: ConditionValues): Measure | undefined {
  const change = { overSeconds: Number(overSeconds), ...(counter ? { counter } : {}) };
  switch (measure) {
    case "":
      return undefined;
    case "change":
      return { kind: measure, ...change };
    case "rate":
      return { kind: measure, ...change, per };
    case "age":
      return { kind: measure };
    case "deviation":
      return { kind: measure, days: Number(days) };
  }
}

function comparandOf({ operator, value, high, metadata }: ConditionValues): Limit {
  if (operator === "outside") return [Number(value), Number(high)];
  if (isEquality(operator)) return anyValue(value);
  return limitOf(value, metadata);
}

function limitOf(value: string, metadata: string): Limit {
  return metadata.trim() === "" ? Number(value) : { metadata: metadata.trim(), default: Number(value) };
}

function clearOf({ operator, clearValue, clearHigh, clearMetadata, value, high }: ConditionValues): Limit | undefined {
  if (isEquality(operator) || (clearValue === "" && clearHigh === "")) return undefined;
  if (operator !== "outside") return limitOf(clearValue, clearMetadata);
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
