import type { RuleValue, Severity } from "../anomalies/anomalies.ts";
import { records } from "../lib/limits/records.ts";
import { invalidRequest } from "../lib/request-errors.ts";
import { plainText } from "../lib/text.ts";
import {
  type Condition,
  checkCondition,
  conditionFor,
  type DeviceMetadata,
  isMetadataLimit,
  type NewCondition,
  type RuleLimit,
} from "./condition.ts";

/** A rule as provided by the caller. */
export interface NewRule extends NewCondition {
  /** Conditions that must be breached as well. Not together with `or`. */
  and?: readonly NewCondition[] | undefined;
  /** Further conditions, each of which alone is a breach, like the rule's own. */
  or?: readonly NewCondition[] | undefined;
  forSeconds?: number | undefined;
  clearForSeconds?: number | undefined;
  severity: Severity;
  message?: string | undefined;
}

/** A rule of a threshold pack (docs/spec-decisions.md, records). */
export interface Rule<Limit = RuleLimit> extends Condition<Limit> {
  id: string;
  and?: readonly Condition<Limit>[];
  or?: readonly Condition<Limit>[];
  /** The time that a breach must last before it opens an anomaly. */
  forSeconds: number;
  /** The time for which values must be good before the anomaly is resolved. */
  clearForSeconds: number;
  severity: Severity;
  /** The message of the anomaly; if empty, a sentence is derived from the rule. */
  message: string;
}

const MAX_MESSAGE = records.ruleMessageCharacters.value;
const MAX_CONDITIONS = records.conditionsOfRule.value;

/**
 * Validates a rule and fills in its defaults.
 *
 * @param where the rule's place in the request, e.g. `rules.0`
 * @throws MusterError invalid_request with the invalid field in `detail`, e.g. `rules.0.clearValue`
 */
export function checkRule(input: NewRule, id: string, where: string): Rule {
  return {
    id,
    ...checkCondition(input, where),
    ...checkFurther(input, where),
    forSeconds: input.forSeconds ?? 0,
    clearForSeconds: input.clearForSeconds ?? 0,
    severity: input.severity,
    message: plainText(`${where}.message`, input.message ?? "", MAX_MESSAGE).trim(),
  };
}

/** An empty list of further conditions means the same as none. */
function checkFurther({ and = [], or = [] }: NewRule, where: string): Pick<Rule, "and" | "or"> {
  if (and.length > 0 && or.length > 0) throw invalidRequest("a rule has either `and` or `or`, not both", `${where}.or`);
  const name = and.length > 0 ? "and" : "or";
  const given = and.length > 0 ? and : or;
  if (given.length === 0) return {};
  if (given.length >= MAX_CONDITIONS)
    throw invalidRequest(`a rule has at most ${MAX_CONDITIONS} conditions`, `${where}.${name}`);
  return { [name]: given.map((each, at) => checkCondition(each, `${where}.${name}.${at}`)) };
}

/** Returns all conditions of a rule, its own first. */
export function conditionsOf<Limit>(rule: Rule<Limit>): Condition<Limit>[] {
  return [rule, ...(rule.and ?? rule.or ?? [])];
}

/** Whether any limit of the rule is in the metadata of devices. */
export function hasMetadataLimit(rule: Rule): boolean {
  return conditionsOf(rule).some(({ value, clearValue }) => isMetadataLimit(value) || isMetadataLimit(clearValue));
}

/** Whether the readings of one metric decide about the rule, each compared by itself. */
export function isPlain(rule: Rule): boolean {
  return rule.measure === undefined && rule.and === undefined && rule.or === undefined;
}

/** Returns the rule with the limits of a device. */
export function ruleFor({ and, or, ...rule }: Rule, metadata: DeviceMetadata): Rule<RuleValue> {
  const own = (conditions: readonly Condition[]) => conditions.map((each) => conditionFor(each, metadata));
  return {
    ...rule,
    ...conditionFor(rule, metadata),
    ...(and ? { and: own(and) } : {}),
    ...(or ? { or: own(or) } : {}),
  };
}
