import type { Range, RuleValue } from "../anomalies/anomalies.ts";
import { invalidRequest } from "../lib/request-errors.ts";
import { nameProblem, quoted, valueProblem } from "../telemetry/telemetry.ts";
import { checkMeasure, type Measure } from "./measure.ts";
import type { Operator } from "./operator.ts";

/** A limit that each device has in its metadata: the number under the key `metadata`, or `default` without one. */
export interface MetadataLimit {
  metadata: string;
  default: number;
}

/** The limit of a rule: the same for all devices, or each device's own. */
export type RuleLimit = RuleValue | MetadataLimit;

/** A condition as provided by the caller. */
export interface NewCondition {
  metric: string;
  operator: Operator;
  value: RuleLimit;
  clearValue?: RuleLimit | null | undefined;
  measure?: Measure | undefined;
}

/** A comparison of one metric of a device with a limit. */
export interface Condition<Limit = RuleLimit> {
  metric: string;
  operator: Operator;
  value: Limit;
  /**
   * The value at which the breach clears: on the good side of `value`, or `value` itself. Null for `eq` and `ne`, which
   * clear when they are false.
   */
  clearValue: Limit | null;
  /** The measure compared with `value`; absent if the readings themselves are compared. */
  measure?: Measure;
}

/**
 * Validates a condition and fills in its defaults.
 *
 * @param where the condition's place in the request, e.g. `rules.0.and.1`
 * @throws MusterError invalid_request with the invalid field in `detail`, e.g. `rules.0.clearValue`
 */
export function checkCondition(input: NewCondition, where: string): Condition {
  const problem = nameProblem(input.metric);
  if (problem) throw invalidRequest(problem, `${where}.metric`);
  const measure = input.measure && checkMeasure(input.measure, input.operator, where);
  return {
    metric: input.metric,
    operator: input.operator,
    value: checkComparand(input, where),
    clearValue: checkClearValue(input, where),
    ...(measure ? { measure } : {}),
  };
}

function checkComparand({ operator, value, metric }: NewCondition, where: string): RuleLimit {
  const field = `${where}.value`;
  if (isMetadataLimit(value)) return checkMetadataLimit(operator, value, field);
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

function checkMetadataLimit(operator: Operator, limit: MetadataLimit, field: string): MetadataLimit {
  if (!isOrder(operator)) throw invalidRequest(`for ${operator}, value cannot be a limit from the metadata`, field);
  const { metadata } = limit;
  if (nameProblem(metadata) !== undefined)
    throw invalidRequest(`${quoted(metadata)} cannot be a key of metadata`, `${field}.metadata`);
  return { metadata, default: limit.default };
}

/** Devices may have any limit in their metadata, so `clearValue` is checked against the default only. */
function checkClearValue({ operator, value, clearValue }: NewCondition, where: string): RuleLimit | null {
  const field = `${where}.clearValue`;
  const equality = operator === "eq" || operator === "ne";
  if (clearValue === undefined || clearValue === null) return equality ? null : value;
  if (equality) throw invalidRequest(`for ${operator} there is no clearValue`, field);
  const kept = isMetadataLimit(clearValue) ? checkMetadataLimit(operator, clearValue, field) : clearValue;
  if (isGoodSide(operator, defaultOf(value), defaultOf(kept))) return kept;
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

function isRange(value: RuleLimit): value is Range {
  return Array.isArray(value) && value[0] < value[1];
}

/** Whether the operator compares by order with one number. */
function isOrder(operator: Operator): boolean {
  return operator !== "outside" && operator !== "eq" && operator !== "ne";
}

export function isMetadataLimit(limit: RuleLimit | null): limit is MetadataLimit {
  return typeof limit === "object" && limit !== null && "metadata" in limit;
}

function defaultOf(limit: RuleLimit): RuleValue {
  return isMetadataLimit(limit) ? limit.default : limit;
}

/**
 * Returns the condition with the limits of a device. A `clearValue` that the device's limits put on the wrong side of
 * `value` counts as `value`.
 */
export function conditionFor(
  { value, clearValue, ...others }: Condition,
  metadata: DeviceMetadata,
): Condition<RuleValue> {
  const limit = limitFor(value, metadata);
  const clear = clearValue === null ? null : limitFor(clearValue, metadata);
  const isGood = clear === null || isGoodSide(others.operator, limit, clear);
  return { ...others, value: limit, clearValue: isGood ? clear : limit };
}

/** The metadata of a device. */
export type DeviceMetadata = Readonly<Record<string, unknown>>;

function limitFor(limit: RuleLimit, metadata: DeviceMetadata): RuleValue {
  if (!isMetadataLimit(limit)) return limit;
  const own = Object.hasOwn(metadata, limit.metadata) ? metadata[limit.metadata] : undefined;
  return typeof own === "number" ? own : limit.default;
}
