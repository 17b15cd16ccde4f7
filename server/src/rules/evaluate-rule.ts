import type { Range, RuleValue } from "../anomalies/anomalies.ts";
import type { MetricValue } from "../telemetry/telemetry.ts";
import type { Operator } from "./operator.ts";
import type { Rule } from "./rule.ts";

/**
 * The state of a rule on one device: `ok` → `pending` (a breach began) → `open` (it lasted `forSeconds`) → `clearing`
 * (values have been good since) → `ok` (good for `clearForSeconds`).
 */
export type Phase = "ok" | "pending" | "open" | "clearing";

export interface RuleState {
  phase: Phase;
  /**
   * The device time when the breach began (`pending`) or ended (`clearing`), in microseconds since 1970. Unused in
   * other phases.
   */
  since: number;
}

/** The effect of one reading on a rule; `observed` is a further breach of an open anomaly. */
export type Outcome = "nothing" | "opened" | "observed" | "resolved";

/**
 * The side on which a value lies: beyond `value`, between it and `clearValue` (`band`), or on the good side of both.
 * `undefined` if the rule does not compare the value's type and so ignores it.
 */
export type Side = "breach" | "band" | "good" | undefined;

/** A rule prepared for evaluating many values. */
export interface CompiledRule {
  forUs: number;
  clearForUs: number;
  sideOf(value: MetricValue): Side;
}

export function compileRule(
  rule: Pick<Rule<RuleValue>, "operator" | "value" | "clearValue" | "forSeconds" | "clearForSeconds">,
): CompiledRule {
  return {
    forUs: rule.forSeconds * 1_000_000,
    clearForUs: rule.clearForSeconds * 1_000_000,
    sideOf: sides(rule),
  };
}

/**
 * Advances the state by one reading. The readings of a metric must come in time order, without late and repeated ones
 * (docs/spec-decisions.md, anomalies).
 *
 * @param state changed in place
 * @param time microseconds since 1970, later than all previous times
 */
export function evaluate(rule: CompiledRule, state: RuleState, time: number, value: MetricValue): Outcome {
  return advance(rule, state, time, rule.sideOf(value));
}

/** Advances the state by the side on which a value lies. */
export function advance(
  rule: Pick<CompiledRule, "forUs" | "clearForUs">,
  state: RuleState,
  time: number,
  side: Side,
): Outcome {
  if (side === undefined) return "nothing";
  if (state.phase === "ok" || state.phase === "pending") return whileOk(rule, state, time, side);
  return whileOpen(rule, state, time, side);
}

function whileOk({ forUs }: Pick<CompiledRule, "forUs">, state: RuleState, time: number, side: Side): Outcome {
  if (side !== "breach") {
    state.phase = "ok";
    return "nothing";
  }
  if (state.phase === "ok") {
    state.phase = "pending";
    state.since = time;
  }
  if (time - state.since < forUs) return "nothing";
  state.phase = "open";
  return "opened";
}

function whileOpen(
  { clearForUs }: Pick<CompiledRule, "clearForUs">,
  state: RuleState,
  time: number,
  side: Side,
): Outcome {
  if (side !== "good") {
    state.phase = "open";
    return side === "breach" ? "observed" : "nothing";
  }
  if (state.phase === "open") {
    state.phase = "clearing";
    state.since = time;
  }
  if (time - state.since < clearForUs) return "nothing";
  state.phase = "ok";
  return "resolved";
}

type Sides = CompiledRule["sideOf"];

/**
 * Builds the comparison. A value is good if `operator` is also false for `clearValue`, so without a band nothing lies
 * between breach and good.
 */
function sides({ operator, value, clearValue }: Pick<Rule<RuleValue>, "operator" | "value" | "clearValue">): Sides {
  if (operator === "outside") return outside(value as Range, (clearValue ?? value) as Range);
  if (operator === "eq")
    return (given) => (typeof given === typeof value ? (given === value ? "breach" : "good") : undefined);
  if (operator === "ne")
    return (given) => (typeof given === typeof value ? (given === value ? "good" : "breach") : undefined);
  return beyond(BEYOND[operator], value as number, (clearValue ?? value) as number);
}

const BEYOND: Record<Exclude<Operator, "eq" | "ne" | "outside">, (given: number, limit: number) => boolean> = {
  gt: (given, limit) => given > limit,
  gte: (given, limit) => given >= limit,
  lt: (given, limit) => given < limit,
  lte: (given, limit) => given <= limit,
};

function beyond(isBeyond: (given: number, limit: number) => boolean, value: number, clearValue: number): Sides {
  return (given) => {
    if (typeof given !== "number") return undefined;
    if (isBeyond(given, value)) return "breach";
    return isBeyond(given, clearValue) ? "band" : "good";
  };
}

function outside([low, high]: Range, [clearLow, clearHigh]: Range): Sides {
  return (given) => {
    if (typeof given !== "number") return undefined;
    if (given < low || given > high) return "breach";
    return given < clearLow || given > clearHigh ? "band" : "good";
  };
}
